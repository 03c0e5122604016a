//! Elements whose formula also exists in WGSL, in a file beside the Rust one. A solver on a GPU takes the formula from
//! [`WgslElement`] and never names an element.
//!
//! The functions of an element with prefix `spring` on N = 2 points, where `e` is what `spring_load` returns:
//!
//! ```text
//! spring_load(at: u32, stride: u32) -> Spring   reads WORDS numbers: element_data[at], element_data[at + stride], ...
//! spring_value(e, x) -> f32                     Ψ, J
//! spring_gradient(e, x) -> array<vec3<f32>, N>  ∂Ψ/∂x, N
//! spring_compliance(e) -> f32                   α
//! spring_constraint(e, x) -> SpringConstraint   { value: f32, gradient: array<vec3<f32>, N> }
//! ```
//!
//! The last two only of elements that position-based dynamics solves. Isotropic ones have besides
//!
//! ```text
//! arap_tet_scale(e, x) -> array<Sym3, N>        what descents divide by; of other elements it is constant
//! stvk_tet_share(e, x) -> f32                   l of the element at x alone, if it is converted where it is crushed
//! ```
//!
//! and the last of the words of an element that is converted is its l.
//!
//! A kernel declares `element_data`, a storage `array<f32>`, and joins [`crate::math::WGSL`], [`crate::math::SYM3_WGSL`] and
//! [`wgsl_formulas`]; then it may add [`WgslElement::correction`].

use super::Batch;

/// Twin of `simplex` in WGSL: what the formulas of triangles and tetrahedra call.
const SIMPLEX: &str = include_str!("simplex.wgsl");

/// Twins of what isotropic energies have in common.
const ISOTROPIC: &str = concat!(
    include_str!("../math/smooth.wgsl"),
    include_str!("../math/eigen.wgsl"),
    include_str!("isotropic.wgsl"),
    include_str!("hyperelastic/hyperelastic.wgsl"),
);

/// The formulas of elements with all that they call, once.
pub fn wgsl_formulas(elements: &[WgslElement]) -> String {
    let isotropic = if elements.iter().any(|element| element.isotropic) { ISOTROPIC } else { "" };
    elements.iter().fold([SIMPLEX, isotropic].concat(), |text, element| text + "\n" + element.source)
}

/// Corrections of position-based dynamics for any element.
const CORRECTION: &str = include_str!("correct.wgsl");

/// An element with a formula in WGSL.
pub trait WgslTwin {
    /// What its WGSL functions start with.
    const PREFIX: &'static str;
    /// The formula.
    const SOURCE: &'static str;
    /// Numbers per element.
    const WORDS: usize;
    /// Whether it is an isotropic energy whose diagonal blocks have a formula in WGSL, too. Of other elements
    /// [`super::Energy::scale`] is the diagonal of their constant stiffness.
    const ISOTROPIC: bool = false;
    /// Writes the numbers that `load` reads; `out` has [`WgslTwin::WORDS`] of them.
    fn pack(&self, out: &mut [f32]);
}

/// The formula in WGSL of a batch of elements, and their data.
#[derive(Clone, Copy)]
pub struct WgslElement<'a> {
    /// What its functions start with.
    pub prefix: &'static str,
    /// The formula.
    pub source: &'static str,
    /// Numbers per element.
    pub words: usize,
    /// Points per element.
    pub arity: usize,
    /// Whether it has a formula of its diagonal blocks.
    pub isotropic: bool,
    batch: &'a dyn PackBatch,
}

trait PackBatch {
    fn len(&self) -> usize;
    fn pack(&self, c: usize, out: &mut [f32]);
}

impl<E: WgslTwin, const N: usize> PackBatch for Batch<E, N> {
    fn len(&self) -> usize {
        self.element.len()
    }
    fn pack(&self, c: usize, out: &mut [f32]) {
        self.element[c].pack(out);
    }
}

impl<'a> WgslElement<'a> {
    pub(super) fn new<E: WgslTwin, const N: usize>(batch: &'a Batch<E, N>) -> Self {
        Self { prefix: E::PREFIX, source: E::SOURCE, words: E::WORDS, arity: N, isotropic: E::ISOTROPIC, batch }
    }

    /// The data of element `c`; `out` has [`WgslElement::words`] numbers.
    pub fn pack(&self, c: usize, out: &mut [f32]) {
        self.batch.pack(c, out);
    }

    /// The data of all elements, one after the other.
    pub fn packed(&self) -> Vec<f32> {
        let mut out = vec![0.0; self.batch.len() * self.words];
        for (c, words) in out.chunks_exact_mut(self.words).enumerate() {
            self.batch.pack(c, words);
        }
        out
    }

    /// The correction of position-based dynamics (twin of [`super::Corrections`]), as WGSL that follows
    /// [`WgslElement::source`]: `spring_correct(at, x, inv_mass, inv_h_sq, multiplier)` returns a
    /// `spring_correction { dx: array<vec3<f32>, N>, multiplier: f32 }`.
    pub fn correction(&self) -> String {
        let mut out = String::new();
        for line in CORRECTION.lines() {
            let line = line.replace("PREFIX", self.prefix).replace("ARITY", &self.arity.to_string());
            let copies = if line.contains("CORNER") && !line.starts_with("//") { self.arity } else { 1 };
            for corner in 0..copies {
                out += &line.replace("CORNER", &corner.to_string());
                out.push('\n');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Elements, Spring};

    #[test]
    fn data_lies_element_after_element_and_corrections_name_every_corner() {
        let mut batch = Batch::default();
        for k in 0..3u8 {
            batch.push([0, 1], Spring { rest_length: f64::from(k), stiffness: 2.0 });
        }
        let elements: Elements<f64> = batch.into();
        let twin = elements.wgsl().unwrap();
        assert_eq!((twin.prefix, twin.words, twin.arity), ("spring", 2, 2));
        assert_eq!(twin.packed(), [0.0, 2.0, 1.0, 2.0, 2.0, 2.0]);
        let mut one = [0.0; 2];
        twin.pack(1, &mut one);
        assert_eq!(one, [1.0, 2.0]);
        let text = twin.correction();
        assert!(text.contains("fn spring_correct(") && text.contains("out.dx[0] =") && text.contains("out.dx[1] ="));
        assert!(!text.contains("out.dx[2]") && !text.contains("ARITY"), "{text}");
    }
}
