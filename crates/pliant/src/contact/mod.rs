//! What bodies bounce off: analytic colliders, their motion, their signed distances, friction.

mod collider;
mod friction;

pub(crate) use collider::rotation_from_degrees;
pub use collider::{Collider, PosedCollider};
pub use friction::{Grip, STICKING_SPEED, limit_slip};

/// Twins of [`PosedCollider::distance`], [`PosedCollider::velocity_at`], [`Grip`] and [`limit_slip`] in WGSL; they follow
/// [`crate::math::WGSL`]. Colliders are a storage `array<Collider>`, each as [`PosedCollider::pack`] writes it.
pub const WGSL: &str = concat!(include_str!("collider.wgsl"), include_str!("friction.wgsl"));
