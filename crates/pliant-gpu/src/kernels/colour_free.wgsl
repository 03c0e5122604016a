// Which colours are free. The module says what a vertex sees of another: `fn seen(n: u32) -> u32`, a colour or NONE.

// Which of the colours base to base + 31 the neighbours of a vertex have; bit 0 is `base`.
fn taken(v: u32, base: u32) -> u32 {
    var found = 0u;
    for (var k = offset[v]; k < offset[v + 1u]; k++) {
        // NONE is beyond every window.
        let above = seen(neighbour[k]) - base;
        if above < WINDOW { found |= 1u << above; }
    }
    return found;
}

// How many of the lowest bits are set before the first that is not.
fn trailing_ones(bits: u32) -> u32 {
    return countTrailingZeros(~bits);
}

// The lowest colour that no neighbour has; at most the number of neighbours.
fn lowest_free(v: u32) -> u32 {
    var base = 0u;
    loop {
        let found = taken(v, base);
        if found != NONE { return base + trailing_ones(found); }
        base += WINDOW;
    }
    // No compiler sees that the loop does not end here.
    return NONE;
}
