    // the first element of this invocation; where it has none, one that is there
    let block_KIND = headers[g * BLOCKS + KINDu];
    var element_KIND = min(local, block_KIND.stride - 1u);
    var corners_KIND: array<u32, ARITY>;
    corners_KIND[CORNER] = corners[block_KIND.corners + CORNERu * block_KIND.stride + element_KIND];
    var data_KIND = PREFIX_load(block_KIND.data + element_KIND, block_KIND.stride);
