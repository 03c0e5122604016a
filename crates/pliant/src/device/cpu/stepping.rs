//! What happens to a step before and after its solve.

use super::map;
use super::problem::CpuProblem;
use crate::contact::limit_slip;
use crate::device::StepInput;
use crate::material::Elements;
use crate::math::{Real, Vec3};
use crate::model::{Potential, System, Viscous};

impl<R: Real> CpuProblem<R> {
    /// x̃ = x + h v + h² M⁻¹ f
    pub(super) fn predict(&mut self, x: &[[R; 4]], v: &[[R; 4]]) {
        let h = self.system.h;
        let System { air, reach, .. } = *self.system;
        let drift = R::of(h * (-self.model.damping * h).exp() / air);
        let fall = Vec3::of(self.model.acceleration.map(|a| a * reach * reach / air));
        let held = &self.system.held;
        map(&mut self.x_tilde, |i, _| {
            let x = Vec3::load(x[i]);
            if held[i] { x } else { x + Vec3::load(v[i]) * drift + fall }
        });
        self.add_wind(x, v);
        map(&mut self.start, |i, _| Vec3::load(x[i]));
    }

    /// Adds h² f_i/max(m_i, h D_i) of all winds. Each triangle feels drag · area · (relative velocity · n) n, a third at each
    /// corner; D_i is the sum of drag · area/3 around the vertex.
    ///
    /// Explicit, so that what hangs in the wind or falls at its final speed feels all of it. But f = K (w − v) with
    /// K = Σ drag · area/9 (n nᵀ between all corners) ≤ D, and f/m would overshoot once h D > m and grow once h D > 2 m: where
    /// steps are that long for so light a cloth, the force is cut to what velocities relative to the air survive without
    /// changing sign.
    fn add_wind(&mut self, x: &[[R; 4]], v: &[[R; 4]]) {
        if self.model.winds.is_empty() {
            return;
        }
        self.wind.fill([R::ZERO; 4]);
        for triangle in self.model.surface() {
            let corner = triangle.map(|i| Vec3::load(x[i as usize]));
            let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
            let area = normal.length() * R::of(0.5);
            let n = normal.unit_or(Vec3::ZERO);
            let mean = triangle.iter().fold(Vec3::ZERO, |sum, &i| sum + Vec3::load(v[i as usize])) * R::of(1.0 / 3.0);
            let (mut force, mut resistance) = (R::ZERO, R::ZERO);
            for &(air, drag) in &self.model.winds {
                let share = area * R::of(drag / 3.0);
                force += (Vec3::of(air) - mean).dot(n) * share;
                resistance += share;
            }
            let [fx, fy, fz, _] = (n * force).store();
            for i in triangle {
                let own = &mut self.wind[i as usize];
                *own = [own[0] + fx, own[1] + fy, own[2] + fz, own[3] + resistance];
            }
        }
        let (h, inv_mass, wind) = (R::of(self.system.h), &self.inv_mass, &self.wind);
        let System { air, reach, .. } = *self.system;
        let (per_acceleration, still) = (R::of(reach * reach / air), self.model.quasistatic);
        map(&mut self.x_tilde, |i, x| {
            let cut = if still { R::ONE } else { R::ONE.max(h * wind[i][3] * inv_mass[i]) };
            let per_force = per_acceleration * inv_mass[i] / cut;
            x + Vec3::load(wind[i]) * per_force
        });
    }

    /// Pins and colliders of the step.
    pub(super) fn hold(&mut self, input: &StepInput) {
        self.colliders.clear();
        self.colliders.extend(input.colliders.iter().map(|collider| collider.cast()));
        self.spring_pins.clear();
        for &(i, target) in &input.targets {
            if self.system.held[i as usize] {
                self.x_tilde[i as usize] = Vec3::of(target).store();
            } else {
                self.spring_pins.push((i, Vec3::of(target), R::of(self.system.pin_stiffness[i as usize])));
            }
        }
        self.x_pull.copy_from_slice(&self.x_tilde);
        for &(i, target, stiffness) in &self.spring_pins {
            let i = i as usize;
            let inertia = R::of(self.system.inertia[i]);
            let mean = (Vec3::load(self.x_tilde[i]) * inertia + target * stiffness) / (inertia + stiffness);
            self.x_pull[i] = mean.store();
        }
        self.potential.colliders.clear();
        self.potential.colliders.extend_from_slice(&input.colliders);
        self.take_grips();
    }

    /// What colliders alone do to each vertex: it goes where contact and inertia balance, and if it is
    /// `rough`, friction shortens its slip.
    pub(super) fn meet_colliders(&self, x: &mut [[R; 4]], rough: bool) {
        if self.grips.is_empty() {
            return;
        }
        let h = R::of(self.system.reach);
        map(x, |i, mut x| {
            if self.inv_mass[i] == R::ZERO {
                return x;
            }
            let grip = &self.grips[i];
            let stiffness = self.contact_stiffness[i];
            let share = stiffness / (stiffness + R::of(self.system.inertia[i]));
            for (k, collider) in self.colliders.iter().enumerate() {
                let (d, normal) = grip.distance_and_normal(k, collider, x);
                x += normal * ((self.thickness[i] - d).max(R::ZERO) * share);
            }
            let back = if rough { grip.limit * h * h * self.inv_mass[i] } else { R::ZERO };
            if back > R::ZERO { grip.anchor + limit_slip(x - grip.anchor, grip.normal, back, R::ONE) } else { x }
        });
    }

    /// The objective of the step in progress, exactly the one the verbs in this precision see.
    pub(super) fn current_potential(&mut self) -> &Potential {
        if !self.potential_is_current {
            let Potential { x_tilde, spring_pins, grips, viscous, .. } = &mut self.potential;
            grips.clear();
            grips.extend(self.grips.iter().map(|grip| grip.cast()));
            x_tilde.iter_mut().zip(&self.x_tilde).for_each(|(wide, x)| *wide = x.map(Real::f64));
            *viscous = self.viscous.as_ref().map(Viscous::cast);
            spring_pins.clear();
            spring_pins.extend(self.spring_pins.iter().map(|(i, target, k)| (*i, target.f64(), k.f64())));
            self.potential.set_touches(self.touching.touches.all.iter().map(|touch| touch.cast()));
            let converted = self.elements.iter_mut().filter_map(Elements::convertible);
            let shares = Vec::from_iter(converted.flat_map(|batch| batch.shares()).map(Real::f64));
            self.potential.convert(&shares, self.elements.iter().map(Elements::pulled));
            self.potential_is_current = true;
        }
        &self.potential
    }

    /// Puts vertices that an unfinished solve left inside a collider onto its surface.
    pub(super) fn finish_contacts(&self, x: &mut [[R; 4]]) {
        if self.colliders.is_empty() {
            return;
        }
        map(x, |i, mut x| {
            if self.inv_mass[i] > R::ZERO {
                for (k, collider) in self.colliders.iter().enumerate() {
                    let (d, normal) = self.grips[i].distance_and_normal(k, collider, x);
                    if d < R::ZERO {
                        x -= normal * d;
                    }
                }
            }
            x
        });
    }
}
