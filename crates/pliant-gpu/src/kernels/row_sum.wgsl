// Σ TERM over the entries of a row in its slice. Rust writes NAME, and TERM with ENTRY for the entry (column and bits of
// the value); four entries at a time, so that their loads do not wait for each other.
fn NAME(slice: vec2<u32>, lane: u32) -> vec4<f32> {
    var at = slice.x + lane;
    let end = at + slice.y * SLICE;
    var sum = vec4<f32>(0.0);
    for (; at + 3u * SLICE < end; at += 4u * SLICE) {
        let a = entries[at];
        let b = entries[at + SLICE];
        let c = entries[at + 2u * SLICE];
        let d = entries[at + 3u * SLICE];
        sum += (TERM(a) + TERM(b)) + (TERM(c) + TERM(d));
    }
    for (; at < end; at += SLICE) {
        let a = entries[at];
        sum += TERM(a);
    }
    return sum;
}
