//! What bodies bounce off: analytic colliders, their motion, their signed distances, friction.

mod collider;
mod friction;

pub(crate) use collider::rotation_from_degrees;
pub use collider::{Collider, PosedCollider};
pub use friction::limit_slip;
