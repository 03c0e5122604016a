// What the rounds of Vivace and of ranks share: they go over lists of the vertices without a colour.

@group(0) @binding(3) var<storage, read_write> colour: array<u32>;
// The vertices without a colour before the round, and after it.
@group(0) @binding(6) var<storage, read_write> uncoloured: array<u32>;
@group(0) @binding(7) var<storage, read_write> rest: array<u32>;

// Whether there is a vertex for invocation i: uncoloured[i].
fn is_listed(i: u32) -> bool {
    return i < p.n && i < counter(LEFT + p.at);
}

// Lists a vertex for the next round if it stays without a colour. All invocations must call it.
fn relist(v: u32, stays: bool, local: u32) {
    let place = claim(stays, LEFT + p.at + 1u, local);
    if stays { rest[place] = v; }
}
