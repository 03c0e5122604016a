//! The energy of a contact between two parts of bodies (METHODS 10; vivace, section 5, has the same as a constraint):
//!
//! ```text
//!  E = k/2 min(0, C)² + friction(u)      C = n · s − gap,  u = (1 − n nᵀ)(s − s at the start),  s = Σ wᵢ xᵢ
//! ```
//!
//! with n, w, gap and the bound of the friction frozen when the step begins, so that E is convex. Its Hessian between two
//! corners is wᵢ wⱼ H with one 3×3 matrix H. Blocks |wᵢ| Σⱼ|wⱼ| H on the diagonal alone are never less than that (Gershgorin),
//! so that methods which know only diagonals of contacts never overshoot.
//!
//! Friction is that of colliders ([`Grip`]), with s for the point and its place at the start of the step for the anchor.
//!
//! Position-based methods, and the start of a solve, push by impulses instead. All contacts push at once, so each gets a share
//! of the mass of its vertices: |wᵢ| of all weights that act on vertex i (Tonge, Benevolenski, Voroshilov 2012, mass
//! splitting). That conserves momentum and never pushes farther than needed.

use super::Contact;
use crate::contact::Grip;
use crate::math::{Mat3, Real, Vec3};

/// A contact with its stiffness and friction in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch<R> {
    /// Vertices: the vertex and the triangle's corners, or the ends of both edges.
    pub stencil: [u32; 4],
    /// Of these vertices. They add up to 0.
    pub weight: [R; 4],
    /// From the second side to the first, of length one.
    pub normal: Vec3<R>,
    /// Distance to keep, m.
    pub gap: R,
    /// k, N/m; 0 if no corner can move.
    pub stiffness: R,
    /// Sum of the magnitudes of the weights of corners that can move.
    pub spread: R,
    /// s at the start of the step, m.
    pub anchor: Vec3<R>,
    /// Largest force of friction, N.
    pub limit: R,
    /// Slip that counts as none, m.
    pub sticking: R,
    /// It would be active at the inertial target.
    pub comes: bool,
}

/// What a contact does to vertices at some x, per weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Felt<R> {
    /// Gradient of the energy, N.
    pub force: Vec3<R>,
    /// Stiffness along the normal, N/m.
    pub push: R,
    /// Stiffness of friction across it, N/m.
    pub friction: R,
}

impl<R: Real> Touch<R> {
    /// A contact without stiffness and friction, which are set after.
    pub fn new(contact: &Contact<R>) -> Self {
        let Contact { stencil, weight: [a, b, c, _], normal, gap, .. } = *contact;
        Self { stencil, weight: [a, b, c, -(a + b + c)], normal, gap, ..Self::default() }
    }

    /// s, from the second side to the first, m. From differences: positions are large beside it.
    #[inline(always)]
    pub fn apart(&self, x: &[[R; 4]]) -> Vec3<R> {
        let [a, b, c, d] = self.stencil.map(|i| Vec3::load(x[i as usize]));
        (a - d) * self.weight[0] + (b - d) * self.weight[1] + (c - d) * self.weight[2]
    }

    /// C, m: negative where the contact pushes.
    #[inline(always)]
    pub fn clearance(&self, x: &[[R; 4]]) -> R {
        self.normal.dot(self.apart(x)) - self.gap
    }

    #[inline(always)]
    fn grip(&self) -> Grip<R> {
        let Self { anchor, normal, limit, sticking, .. } = *self;
        Grip { anchor, normal, limit, sticking, ..Grip::NONE }
    }

    /// E, J.
    pub fn value(&self, x: &[[R; 4]]) -> R {
        let apart = self.apart(x);
        let depth = (self.gap - self.normal.dot(apart)).max(R::ZERO);
        let friction = if self.limit > R::ZERO { self.grip().value(apart) } else { R::ZERO };
        self.stiffness * depth * depth * R::of(0.5) + friction
    }

    /// Its gradient at a corner is the weight times the force; its Hessian on the diagonal at most |weight| · `spread` times
    /// the stiffnesses.
    #[inline(always)]
    pub fn feel(&self, x: &[[R; 4]]) -> Felt<R> {
        let apart = self.apart(x);
        let depth = self.gap - self.normal.dot(apart);
        let mut felt = Felt::default();
        if depth > R::ZERO {
            felt.force = self.normal * -(self.stiffness * depth);
            felt.push = self.stiffness;
        }
        if self.limit > R::ZERO {
            let (force, stiffness) = self.grip().gradient(apart);
            felt.force += force;
            felt.friction = stiffness;
        }
        felt
    }

    /// H at x, N/m; `None` where the contact does nothing.
    pub fn hessian(&self, x: &[[R; 4]]) -> Option<Mat3<R>> {
        let apart = self.apart(x);
        let pushes = self.stiffness > R::ZERO && self.normal.dot(apart) < self.gap;
        if !pushes && self.limit <= R::ZERO {
            return None;
        }
        let push = if pushes { self.normal.outer(self.normal) * self.stiffness } else { Mat3::ZERO };
        Some(if self.limit > R::ZERO { push + self.grip().hessian(apart) } else { push })
    }

    /// Impulse times h that the contact needs at x, kg m, per weight, where an impulse of 1 moves both sides apart by
    /// `yielding`, 1/kg; `hold` is the largest impulse of friction, given the one along the normal.
    pub fn impulse(&self, x: &[[R; 4]], yielding: R, hold: impl Fn(R) -> R) -> Vec3<R> {
        let apart = self.apart(x);
        let depth = self.gap - self.normal.dot(apart);
        if depth <= R::ZERO || yielding <= R::ZERO {
            return Vec3::ZERO;
        }
        let push = depth / yielding;
        let moved = apart - self.anchor;
        let slip = moved - self.normal * moved.dot(self.normal);
        let length = slip.length();
        let back = (length / yielding).min(hold(push));
        let along = if back > R::ZERO { slip * (back / length) } else { Vec3::ZERO };
        self.normal * push - along
    }

    /// The same in another precision, with a normal of length 1 there.
    pub fn cast<S: Real>(&self) -> Touch<S> {
        let of = |number: R| S::of(number.f64());
        let [a, b, c] = [0, 1, 2].map(|k| of(self.weight[k]));
        Touch {
            stencil: self.stencil,
            weight: [a, b, c, -(a + b + c)],
            normal: self.normal.cast::<S>().unit_or(Vec3::ZERO),
            gap: of(self.gap),
            stiffness: of(self.stiffness),
            spread: of(self.spread),
            anchor: self.anchor.cast(),
            limit: of(self.limit),
            sticking: of(self.sticking),
            comes: self.comes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// A contact that pushes and one that does not, with friction that sticks and that slips.
    fn touches(random: &mut SplitMix) -> (Touch<f64>, [[f64; 4]; 4]) {
        let mut point = || Vec3::<f64>::of(random.point());
        let x: [[f64; 4]; 4] = std::array::from_fn(|_| point().store());
        let normal = point().unit_or(Vec3::axis(0));
        let [s, t] = [random.unit(), random.unit()];
        let mut touch = Touch {
            stencil: [0, 1, 2, 3],
            weight: [1.0 - s, s, t - 1.0, -t],
            normal,
            stiffness: 7.0,
            spread: 2.0,
            sticking: 0.3,
            limit: 2.0,
            ..Touch::default()
        };
        touch.gap = touch.normal.dot(touch.apart(&x)) + 0.5 * random.unit() - 0.2;
        touch.anchor = touch.apart(&x) + Vec3::of(random.point()) * 0.6;
        (touch, x)
    }

    #[test]
    fn gradient_and_hessian_are_those_of_the_value() {
        let mut random = SplitMix(11);
        let step = 1e-6;
        let mut active = 0;
        for _ in 0..200 {
            let (touch, x) = touches(&mut random);
            let slip =
                (touch.apart(&x) - touch.anchor) - touch.normal * touch.normal.dot(touch.apart(&x) - touch.anchor);
            let bends = touch.clearance(&x).abs() < 1e-4 || (slip.length() - touch.sticking).abs() < 1e-4;
            let (felt, hessian) = (touch.feel(&x), touch.hessian(&x).unwrap());
            active += usize::from(felt.push > 0.0);
            for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))).filter(|_| !bends) {
                let moved = |by: f64| {
                    let mut x = x;
                    x[i][k] += by;
                    x
                };
                let [low, high] = [moved(-step), moved(step)];
                let difference = (touch.value(&high) - touch.value(&low)) / (2.0 * step);
                assert!((touch.weight[i] * felt.force[k] - difference).abs() < 1e-6, "{difference}");
                for j in 0..4 {
                    let change = (touch.feel(&high).force - touch.feel(&low).force) * (touch.weight[j] / (2.0 * step));
                    let column = hessian.c[k] * (touch.weight[i] * touch.weight[j]);
                    assert!((change - column).length() < 1e-5, "{change:?} {column:?}");
                }
            }
        }
        assert!(active > 50 && active < 190, "{active}");
    }

    #[test]
    fn blocks_on_the_diagonal_bound_the_energy_from_everywhere() {
        let mut random = SplitMix(3);
        for _ in 0..300 {
            let (touch, x) = touches(&mut random);
            let felt = touch.feel(&x);
            // One that is not active yet may become so: its block is there before.
            let (push, friction) = (touch.stiffness, felt.friction);
            let dx: [Vec3<f64>; 4] = std::array::from_fn(|_| Vec3::of(random.point()) * 0.5);
            let mut bound = touch.value(&x);
            let mut there = x;
            for i in 0..4 {
                let (along, share) = (touch.normal.dot(dx[i]), touch.weight[i].abs() * touch.spread);
                let across = dx[i].length_sq() - along * along;
                bound +=
                    touch.weight[i] * felt.force.dot(dx[i]) + 0.5 * share * (push * along * along + friction * across);
                there[i] = (Vec3::load(x[i]) + dx[i]).store();
            }
            assert!(touch.value(&there) <= bound + 1e-9, "{} {bound}", touch.value(&there));
        }
    }

    #[test]
    fn an_impulse_closes_what_is_left_of_the_gap_and_friction_no_more_than_the_slip() {
        let mut random = SplitMix(8);
        for _ in 0..100 {
            let (mut touch, x) = touches(&mut random);
            touch.gap = touch.normal.dot(touch.apart(&x)) + 0.1;
            let inv_mass = [1.0, 2.0, 0.5, 0.0];
            let yielding: f64 = (0..4).map(|i| touch.weight[i] * touch.weight[i] * inv_mass[i]).sum();
            for friction in [0.0, 0.3, 1e9] {
                let impulse = touch.impulse(&x, yielding, |push| friction * push);
                let mut there = x;
                for i in 0..4 {
                    there[i] = (Vec3::load(x[i]) + impulse * (touch.weight[i] * inv_mass[i])).store();
                }
                assert!(touch.clearance(&there).abs() < 1e-12);
                let along = |v: Vec3<f64>| v - touch.normal * touch.normal.dot(v);
                let [before, after] = [&x, &there].map(|x| along(touch.apart(x) - touch.anchor).length());
                assert!(
                    after <= before + 1e-12
                        && (friction < 1e8 || after < 1e-12)
                        && (friction > 0.0 || after > before - 1e-12)
                );
                assert!(along(impulse).length() <= friction * 0.1 / yielding + 1e-12);
            }
        }
    }
}
