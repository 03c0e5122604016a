// Twin of closest.rs; follows vec3.wgsl.

// The point of a triangle that is closest to another.
struct ClosestToTriangle {
    // Weights of the corners. Zero is exact: it says which corner or edge is closest.
    at: vec3<f32>,
    // From there to the point, m.
    offset: vec3<f32>,
}

// Where two segments are closest, if that is inside both.
struct Crossing {
    // 0 to 1 along the first and the second.
    at: vec2<f32>,
    // From the second's point to the first's, m.
    offset: vec3<f32>,
    inside: bool,
}

// Where on the segment from p to q the point closest to x is, 0 to 1.
fn closest_along(x: vec3<f32>, p: vec3<f32>, q: vec3<f32>) -> f32 {
    let d = q - p;
    let above = dot(x - p, d);
    let below = dot(d, d);
    if above <= 0.0 || below <= TINY { return 0.0; }
    return select(above / below, 1.0, above >= below);
}

// That of the last edge which was looked at, or of the one from p to q, if that is nearer. Weights are those of p and q.
fn closest_nearer(
    last: ClosestToTriangle,
    x: vec3<f32>,
    p: vec3<f32>,
    q: vec3<f32>,
    of_p: vec3<f32>,
    of_q: vec3<f32>,
) -> ClosestToTriangle {
    let t = closest_along(x, p, q);
    let offset = x - p - (q - p) * t;
    if dot(offset, offset) < dot(last.offset, last.offset) {
        return ClosestToTriangle(of_p * (1.0 - t) + of_q * t, offset);
    }
    return last;
}

fn closest_of_triangle(x: vec3<f32>, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> ClosestToTriangle {
    let ab = b - a;
    let ac = c - a;
    let ax = x - a;
    let n = cross(ab, ac);
    let n_sq = dot(n, n);
    if n_sq > dot(ab, ab) * dot(ac, ac) * EPSILON && n_sq > TINY {
        let v = dot(cross(ax, ac), n) / n_sq;
        let w = dot(cross(ab, ax), n) / n_sq;
        let u = 1.0 - v - w;
        if u > 0.0 && v > 0.0 && w > 0.0 { return ClosestToTriangle(vec3(u, v, w), ax - ab * v - ac * w); }
    }
    let t = closest_along(x, a, b);
    var closest = ClosestToTriangle(vec3(1.0 - t, t, 0.0), x - a - ab * t);
    closest = closest_nearer(closest, x, b, c, vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    return closest_nearer(closest, x, c, a, vec3(0.0, 0.0, 1.0), vec3(1.0, 0.0, 0.0));
}

// Not inside if they are parallel to within rounding, about 1°.
fn segment_crossing(p1: vec3<f32>, q1: vec3<f32>, p2: vec3<f32>, q2: vec3<f32>) -> Crossing {
    let d1 = q1 - p1;
    let d2 = q2 - p2;
    let r = p1 - p2;
    let a = dot(d1, d1);
    let e = dot(d2, d2);
    let b = dot(d1, d2);
    let c = dot(d1, r);
    let f = dot(d2, r);
    let denominator = a * e - b * b;
    let above = vec2(b * f - c * e, a * f - b * c);
    let askew = denominator > a * e * sqrt(EPSILON) && denominator > TINY;
    let inside = askew && all(above > vec2(0.0)) && all(above < vec2(denominator));
    let at = above / max(denominator, TINY);
    return Crossing(at, r + d1 * at.x - d2 * at.y, inside);
}

// Squared distance of two segments, m².
fn segments_apart_sq(p1: vec3<f32>, q1: vec3<f32>, p2: vec3<f32>, q2: vec3<f32>) -> f32 {
    let crossing = segment_crossing(p1, q1, p2, q2);
    if crossing.inside { return dot(crossing.offset, crossing.offset); }
    let of_p1 = p1 - p2 - (q2 - p2) * closest_along(p1, p2, q2);
    let of_q1 = q1 - p2 - (q2 - p2) * closest_along(q1, p2, q2);
    let of_p2 = p2 - p1 - (q1 - p1) * closest_along(p2, p1, q1);
    let of_q2 = q2 - p1 - (q1 - p1) * closest_along(q2, p1, q1);
    return min(min(dot(of_p1, of_p1), dot(of_q1, of_q1)), min(dot(of_p2, of_p2), dot(of_q2, of_q2)));
}
