// Twin of volume_limit.rs. The Rust twin solves for s in f64; here s − σ = ν/s instead of a difference keeps the digits
// of f32.

struct VolumeLimitTet {
    /// b of corners 1, 2, 3, 1/m.
    gradients: mat3x3<f32>,
    /// w V, N·m.
    weight: f32,
    low: f32,
    high: f32,
}
struct VolumeLimitTetConstraint {
    value: f32,
    gradient: array<vec3<f32>, 4>,
}
/// s for s₂ = t, with s₀ and s₁ on their + branch, as s − σ; Π s and its derivative.
struct VolumeTrial {
    change: vec3<f32>,
    product: f32,
    slope: f32,
    exists: bool,
}

const VOLUME_STEPS: u32 = 64u;
/// Newton doubles the digits with each step, so what follows a step of this size (relative) is rounding: 64 EPSILON.
const VOLUME_LAST_STEP: f32 = 7.6e-6;

fn volume_limit_tet_load(at: u32, stride: u32) -> VolumeLimitTet {
    return VolumeLimitTet(
        tet_gradients_load(at, stride),
        element_data[at + 9u * stride], element_data[at + 10u * stride], element_data[at + 11u * stride],
    );
}

fn volume_trial(sigma: vec3<f32>, t: f32) -> VolumeTrial {
    let d = 2.0 * t - sigma.z;
    let square = d * d + max((sigma.xy - sigma.z) * (sigma.xy + sigma.z), vec2<f32>(0.0));
    let root = vec2<f32>(sqrt(square.x), sqrt(square.y));
    let s = 0.5 * (sigma.xy + root);
    let ds = d / max(root, vec2<f32>(1e-18));
    let change = t - sigma.z;
    return VolumeTrial(
        vec3<f32>(t * change / max(s, vec2<f32>(1e-18)), change),
        t * s.x * s.y,
        s.x * s.y + t * (ds.x * s.y + s.x * ds.y),
        true,
    );
}

/// The root of Π s = volume in [low, high], where Π s − volume changes sign: Newton, kept inside by bisection.
fn volume_root_between(sigma: vec3<f32>, volume: f32, from_low: f32, from_high: f32) -> VolumeTrial {
    var low = from_low;
    var high = from_high;
    var t = high;
    var here = volume_trial(sigma, t);
    for (var step = 0u; step < VOLUME_STEPS; step++) {
        if here.product > volume {
            high = t;
        } else {
            low = t;
        }
        let newton = t - (here.product - volume) / here.slope;
        let inside = newton > low && newton < high;
        let next = select(0.5 * (low + high), newton, inside);
        let last = abs(next - t) <= select(4.0 * EPSILON, VOLUME_LAST_STEP, inside) * abs(t);
        t = next;
        here = volume_trial(sigma, t);
        if last {
            break;
        }
    }
    return here;
}

/// The smallest root of Π s = volume, by Newton from t = 0, which approaches it from below; none if it is not below
/// σ₂/2.
fn volume_smallest_root(sigma: vec3<f32>, volume: f32) -> VolumeTrial {
    var t = 0.0;
    var here = volume_trial(sigma, t);
    for (var step = 0u; step < VOLUME_STEPS; step++) {
        let move_by = (volume - here.product) / here.slope;
        let last = abs(move_by) <= VOLUME_LAST_STEP * t;
        t += move_by;
        if here.slope <= 0.0 || t >= 0.5 * sigma.z {
            here.exists = false;
            break;
        }
        here = volume_trial(sigma, t);
        if last {
            break;
        }
    }
    return here;
}

/// s − σ for the singular values s nearest to σ with product in the range.
fn volume_nearest(sigma: vec3<f32>, low: f32, high: f32) -> vec3<f32> {
    let det = sigma.x * sigma.y * sigma.z;
    if det < low {
        // All s are at least t, so t³ is at most the product; a little more, because pow is not exact.
        let most = max(sigma.z, 1.001 * pow(low, 1.0 / 3.0));
        return volume_root_between(sigma, low, max(sigma.z, 0.0), most).change;
    }
    if det <= high {
        return vec3<f32>(0.0);
    }
    let half = 0.5 * sigma.z;
    let alike = volume_trial(sigma, half).product <= high;
    let one_gives_way = volume_smallest_root(sigma, high);
    if one_gives_way.exists && !alike {
        return one_gives_way.change;
    }
    let other = volume_root_between(sigma, high, select(0.0, half, alike), select(half, sigma.z, alike)).change;
    let change = one_gives_way.change;
    let nearer = one_gives_way.exists && dot(change, change) < dot(other, other);
    return select(other, change, nearer);
}

/// F − p(F).
fn volume_limit_tet_difference(e: VolumeLimitTet, x: array<vec3<f32>, 4>) -> mat3x3<f32> {
    let F = tet_deformation(e.gradients, x);
    let det = dot(F[0], cross(F[1], F[2]));
    if det >= e.low && det <= e.high {
        return mat3x3<f32>();
    }
    let f = svd(F);
    return svd_with_sigma(f, -volume_nearest(f.sigma, e.low, e.high));
}

fn volume_limit_tet_value(e: VolumeLimitTet, x: array<vec3<f32>, 4>) -> f32 {
    return 0.5 * e.weight * norm_sq(volume_limit_tet_difference(e, x));
}

fn volume_limit_tet_gradient(e: VolumeLimitTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    return tet_pull_back(e.gradients, volume_limit_tet_difference(e, x) * e.weight);
}

fn volume_limit_tet_compliance(e: VolumeLimitTet) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖F − p(F)‖.
fn volume_limit_tet_constraint(e: VolumeLimitTet, x: array<vec3<f32>, 4>) -> VolumeLimitTetConstraint {
    let d = distance3(volume_limit_tet_difference(e, x));
    return VolumeLimitTetConstraint(d.value, tet_pull_back(e.gradients, d.direction));
}
