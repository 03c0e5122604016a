// Twin of random.rs: random numbers that are a function of seed, round and vertex. The same bits.

fn mix(number: u32) -> u32 {
    var x = number;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

// The numbers of one round.
fn draw_key(seed: u32, round: u32) -> u32 {
    return mix(mix(seed ^ 0x9e3779b9u) + round);
}

// 32 random bits. No two vertices draw the same number in a round.
fn draw(key: u32, vertex: u32) -> u32 {
    return mix(vertex ^ key);
}
