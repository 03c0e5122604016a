//! What bodies bounce off: analytic colliders, their motion, their signed distances, friction; and each other ([`close`]).

mod approach;
pub mod close;
mod collider;
mod cover;
mod friction;
mod pressing;

pub use approach::Approach;
pub(crate) use collider::rotation_from_degrees;
pub use collider::{Collider, PosedCollider};
pub use cover::{covered, without_momentum};
pub use friction::{Grip, STICKING_SPEED, limit_slip, sticking_slip};
pub use pressing::{Pressing, pressed};

/// Twins of [`covered`] and [`without_momentum`] in WGSL; they follow [`crate::math::SYM3_WGSL`].
pub const COVER_WGSL: &str = include_str!("cover.wgsl");

/// Twins of [`PosedCollider::distance`], [`PosedCollider::velocity_at`], [`PosedCollider::approach`], [`Grip`] and [`limit_slip`]
/// in WGSL; they follow [`crate::math::WGSL`]. Colliders are a storage `array<Collider>`, each as [`PosedCollider::pack`] writes it.
pub const WGSL: &str =
    concat!(include_str!("collider.wgsl"), include_str!("approach.wgsl"), include_str!("friction.wgsl"));

/// Twin of [`pressed`] in WGSL; it follows [`crate::math::WGSL`].
pub const PRESSING_WGSL: &str = include_str!("pressing.wgsl");
