//! Where the solve of a step begins (course 3.2.4).

use crate::device::{Device, DeviceError, Factor, Slot};
use crate::scene::InitialGuess;

/// η: how much of the last acceleration goes on.
const LASTING: f64 = 0.2;

/// What a step begins with.
pub(super) struct Before<'a, D: Device> {
    /// Positions, m.
    pub x: &'a D::Points,
    /// Velocities, m/s.
    pub v: &'a D::Points,
    /// Those one step before, if they are known.
    pub v_before: Option<&'a D::Points>,
    /// Step size, s.
    pub h: f64,
    /// Nothing has inertia: x̃ is nowhere near.
    pub still: bool,
}

const SLOPE: Slot = Slot(0);
const SLOPE_THERE: Slot = Slot(1);

/// x = the first iterate; held vertices are at their targets.
pub(super) fn guess<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    which: InitialGuess,
    before: &Before<D>,
    x: &mut D::Points,
) -> Result<(), DeviceError> {
    let &Before { x: x_start, v, v_before, h, still } = before;
    let which = if still { InitialGuess::Position } else { which };
    match which {
        InitialGuess::Inertia => device.start(problem, x),
        InitialGuess::Explicit { force, .. } if force > 0.0 => device.gradient(problem, x_start, x),
        _ => device.copy(x_start, x),
    }
    match which {
        InitialGuess::Inertia | InitialGuess::Position => {}
        InitialGuess::Velocity => device.axpy(Factor::Value(h), v, x),
        InitialGuess::Acceleration => {
            let lasting = if v_before.is_some() { LASTING } else { 0.0 };
            device.axpy(Factor::Value(h * (1.0 + lasting)), v, x);
            if let Some(v_before) = v_before {
                device.axpy(Factor::Value(-h * lasting), v_before, x);
            }
        }
        InitialGuess::Optimal => {
            let way = best_way(device, problem, before)?;
            device.axpy(Factor::Value(way), v, x);
        }
        InitialGuess::Explicit { velocity, force } => {
            // −(M/h²)⁻¹ ∇E(x) is the way of an explicit step.
            if force > 0.0 {
                device.divide_by_inertia(problem, x)?;
                device.xpay(x_start, Factor::Value(-force), x);
            }
            device.axpy(Factor::Value(velocity * h), v, x);
            device.hold(problem, x);
            return Ok(());
        }
    }
    if which != InitialGuess::Inertia {
        device.hold(problem, x);
        // Whatever is guessed of how bodies deform, they fly as they must; but nothing flies where nothing has inertia.
        if !still {
            device.balance_bodies(problem, x);
        }
    }
    // Whether it changed E does not matter yet.
    device.convert(problem, x, SLOPE);
    Ok(())
}

/// d of course eq 38, s, with H v = (∇E(x + h v) − ∇E(x))/h; none where E is not convex along v or falls against it, and at
/// most two steps' way.
fn best_way<D: Device>(device: &mut D, problem: &mut D::Problem, before: &Before<D>) -> Result<f64, DeviceError> {
    let &Before { x, v, h, .. } = before;
    let (mut there, mut gradient) = (device.points(problem), device.points(problem));
    device.gradient(problem, x, &mut gradient);
    device.dot(&gradient, v, SLOPE);
    device.copy(x, &mut there);
    device.axpy(Factor::Value(h), v, &mut there);
    device.gradient(problem, &there, &mut gradient);
    device.dot(&gradient, v, SLOPE_THERE);
    let (slope, slope_there) = (device.scalar(SLOPE)?, device.scalar(SLOPE_THERE)?);
    let curvature = (slope_there - slope) / h;
    Ok(if curvature > 0.0 { (-slope / curvature).clamp(0.0, 2.0 * h) } else { 0.0 })
}
