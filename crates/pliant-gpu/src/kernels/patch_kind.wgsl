    {
        let words = headers[header + KIND_WORDSu];
        let elements = headers[header + KIND_WORDSu + 1u];
        for (var e = local; e < elements; e += WIDTH) {
            var corner: array<u32, ARITY>;
            var slot: array<u32, ARITY>;
            var at: array<vec3<f32>, ARITY>;
            let number = records[words + e];
            corner[CORNER] = (records[words + (1u + CORNERu / 2u) * elements + e] >> (16u * (CORNERu % 2u))) & 0xffffu;
            slot[CORNER] = (records[words + (1u + HALFu + CORNERu / 2u) * elements + e] >> (16u * (CORNERu % 2u))) & 0xffffu;
            at[CORNER] = member_at(corner[CORNER]);
            let gradient = PREFIX_gradient(PREFIX_load(DATAu + WORDSu * number), at);
            put_slot(slot[CORNER], gradient[CORNER]);
        }
    }
