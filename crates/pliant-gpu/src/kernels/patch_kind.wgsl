    for (var e = local; e < block_KIND.elements; e += WIDTH) {
        let corner = corners_KIND;
        let data = data_KIND;
        // the next one is on its way while this one is computed
        if ROUNDS > 1u {
            element_KIND = min(e + WIDTH, block_KIND.stride - 1u);
            corners_KIND[CORNER] = corners[block_KIND.corners + CORNERu * block_KIND.stride + element_KIND];
            data_KIND = PREFIX_load(block_KIND.data + element_KIND, block_KIND.stride);
        }
        var at: array<vec3<f32>, ARITY>;
        at[CORNER] = member_at(corner[CORNER] & 0xffffu);
        let gradient = PREFIX_gradient(data, at);
        put_slot(corner[CORNER] >> 16u, gradient[CORNER]);
    }
