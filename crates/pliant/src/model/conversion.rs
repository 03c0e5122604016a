//! Which elements are replaced because they are crushed, and by how much (course eq 45): the l of each, from step to step.
//!
//! l = clamp(max_i (λ⁺ − λ_i)/(λ⁺ − λ⁻), l of the last step − L, 1). Renewed when a step begins, from the positions that it begins
//! with, and raised where a solve of descent comes to what needs more. In a step it never falls: what a solve ends with is the
//! objective that it is measured by.

use crate::contact::close::Since;
use crate::material::Elements;
use crate::math::Real;

/// L: how much of a conversion of elements that were crushed a step undoes at most.
pub const UNDONE: f64 = 0.05;

/// l of every convertible element of a model, in the order of its batches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// When the step in progress began, and now.
    before: Vec<f64>,
    now: Vec<f64>,
}

impl Conversion {
    /// A step begins at x, or is begun again, or goes on with its next piece; `elements` get their l.
    pub fn begin<R: Real>(&mut self, elements: &mut [Elements<R>], x: &[[R; 4]], since: Since) {
        if !elements.iter().any(Elements::is_convertible) {
            return;
        }
        match since {
            Since::Step => self.before.clone_from(&self.now),
            Since::Retry => self.now.clone_from(&self.before),
            Since::Piece => {}
        }
        set_shares(elements, &self.now);
        let undone = if since == Since::Piece { 0.0 } else { UNDONE };
        self.renew(elements, x, undone);
    }

    /// Raises l where x needs it; of how many elements.
    pub fn raise<R: Real>(&mut self, elements: &mut [Elements<R>], x: &[[R; 4]]) -> usize {
        if elements.iter().any(Elements::is_convertible) { self.renew(elements, x, 0.0) } else { 0 }
    }

    /// The step in progress is not to have been.
    pub fn undo(&mut self) {
        self.now.clone_from(&self.before);
    }

    /// How many have changed.
    fn renew<R: Real>(&mut self, elements: &mut [Elements<R>], x: &[[R; 4]], undone: f64) -> usize {
        let mut changed = 0;
        self.now.clear();
        for batch in elements.iter_mut().filter_map(Elements::convertible) {
            changed += batch.convert(x, R::of(undone));
            self.now.extend(batch.shares().iter().map(|share| share.f64()));
        }
        changed
    }

    /// l of each; empty before the first step.
    pub fn shares(&self) -> &[f64] {
        &self.now
    }

    /// Replaces them, for when a state is loaded.
    pub fn set_shares(&mut self, shares: &[f64]) {
        self.before = shares.to_vec();
        self.now = shares.to_vec();
    }
}

/// Hands every convertible element its l; what is missing at the end is 0.
pub(super) fn set_shares<R: Real>(elements: &mut [Elements<R>], shares: &[f64]) {
    let mut rest = shares.iter().map(|share| R::of(*share)).chain(std::iter::repeat(R::ZERO));
    for elements in elements {
        let count = elements.len();
        if let Some(batch) = elements.convertible() {
            batch.set_shares(&Vec::from_iter(rest.by_ref().take(count)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::hyperelastic::{HyperelasticTet, NeoHookean};
    use crate::material::{Batch, LameParameters};
    use crate::math::Vec3;

    #[test]
    fn crushed_elements_are_converted_at_once_and_come_back_slowly() {
        let corners = [Vec3::ZERO, Vec3::axis(0), Vec3::axis(1), Vec3::axis(2)];
        let density = NeoHookean::from(LameParameters::solid(100.0, 0.3).unwrap());
        let mut batch = Batch::default();
        batch.push([0, 1, 2, 3], HyperelasticTet::new(corners, density).unwrap());
        let mut elements = [Elements::from(batch)];
        let squeezed = |by: f64| corners.map(|p| Vec3::new(p.x, by * p.y, p.z).store());
        let mut conversion = Conversion::default();
        let mut after = |by: f64, since| {
            conversion.begin(&mut elements, &squeezed(by), since);
            conversion.shares()[0]
        };
        assert_eq!(after(0.5, Since::Step), 0.0);
        assert!((after(0.1, Since::Step) - 0.5).abs() < 1e-12);
        assert_eq!(after(-1.0, Since::Step), 1.0);
        assert!((after(1.0, Since::Step) - 0.95).abs() < 1e-12);
        assert!((after(1.0, Since::Retry) - 0.95).abs() < 1e-12, "a try that is made again does not undo it twice");
        assert!((after(1.0, Since::Piece) - 0.95).abs() < 1e-12, "pieces of a step undo it once");
        assert!((after(1.0, Since::Step) - 0.9).abs() < 1e-12);
        assert!((0..18).map(|_| after(1.0, Since::Step)).last().unwrap() < 1e-12);
        assert_eq!(conversion.raise(&mut elements, &squeezed(0.5)), 0);
        assert!(conversion.raise(&mut elements, &squeezed(0.0)) == 1 && conversion.shares() == [1.0]);
        assert!(conversion.raise(&mut elements, &squeezed(1.0)) == 0 && conversion.shares() == [1.0]);
    }
}
