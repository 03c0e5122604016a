//! The list of elements. A new one is its file and one line here.

use super::batch::{Batch, CompliantBatch, ConvertibleBatch, ElementBatch, ProjectiveBatch};
use super::wgsl::WgslElement;
use super::{
    ArapTet, ArapTriangle, BaraffWitkinTriangle, CorotatedTet, CorotatedTriangle, CurvedBending, DihedralBending,
    Energy, FungTet, MooneyRivlinTet, NeoHookeanTet, Pin, QuadraticBending, SplineTet, Spring, StableNeoHookeanTet,
    StrainLimitTet, StrainLimitTriangle, StvkTet, StvkTriangle, VolumeLimitTet,
};
use crate::math::{Mat3, Real};
use std::ops::Range;

macro_rules! view {
    ($batch:expr, yes) => {
        Some($batch)
    };
    ($batch:expr, no) => {
        None
    };
}
macro_rules! change {
    ($batch:expr, yes) => {
        Some($batch)
    };
    ($batch:expr, no) => {{
        let _ = $batch;
        None
    }};
}
macro_rules! flag {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

macro_rules! twin {
    ($batch:expr, yes) => {
        Some(WgslElement::new($batch))
    };
    ($batch:expr, no) => {{
        let _ = $batch;
        None
    }};
}

macro_rules! elements {
    ($dollar:tt $( $(#[$doc:meta])* $variant:ident $arity:literal $name:literal
        { projective: $projective:ident, compliant: $compliant:ident, wgsl: $wgsl:ident, convertible: $convertible:ident } )*) => {
        /// A batch of elements of one kind, whichever it is.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Elements<R: Real> {
            $( $(#[$doc])* $variant(Batch<$variant<R>, $arity>), )*
        }

        /// `with_batch!(elements, |batch| expr)`: `expr` with `batch` bound to the concrete `Batch`, whichever it is.
        #[macro_export]
        macro_rules! with_batch {
            ($dollar elements:expr, |$dollar batch:ident| $dollar body:expr) => {
                match $dollar elements {
                    $( $crate::material::Elements::$variant($dollar batch) => $dollar body, )*
                }
            };
        }

        impl<R: Real> Elements<R> {
            /// Names of all elements there are, with the number of points of each.
            pub const ALL: &'static [(&'static str, usize)] = &[$( ($name, $arity) ),*];

            /// Name of the element, as in reports.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $name, )* }
            }
            /// How many elements.
            pub fn len(&self) -> usize {
                with_batch!(self, |batch| batch.len())
            }
            /// Has no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
            /// Memory of stencils and data, bytes.
            pub fn bytes(&self) -> usize {
                with_batch!(self, |batch| size_of_val(&batch.stencil[..]) + size_of_val(&batch.element[..]))
            }
            /// Points per element.
            pub fn arity(&self) -> usize {
                match self { $( Self::$variant(_) => $arity, )* }
            }
            /// Projective dynamics can solve it.
            pub fn is_projective(&self) -> bool {
                match self { $( Self::$variant(_) => flag!($projective), )* }
            }
            /// Position-based dynamics can solve it.
            pub fn is_compliant(&self) -> bool {
                match self { $( Self::$variant(_) => flag!($compliant), )* }
            }
            /// Its force is linear once its rotation is held ([`super::FrozenTet`]).
            pub fn has_rotations(&self) -> bool {
                matches!(self, Self::CorotatedTet(_))
            }
            /// Elements that are crushed are replaced.
            pub fn is_convertible(&self) -> bool {
                match self { $( Self::$variant(_) => flag!($convertible), )* }
            }
            /// Shares of their conversion, to be changed; `None` for elements that have none.
            pub fn convertible(&mut self) -> Option<&mut dyn ConvertibleBatch<R>> {
                match self { $( Self::$variant(batch) => change!(batch, $convertible), )* }
            }
            /// Those that are pulled straight for now; see [`Batch::pulled`].
            pub fn pulled(&self) -> &[(u32, Mat3<f64>)] {
                with_batch!(self, |batch| &batch.pulled)
            }
            /// Replaces them.
            pub fn set_pulled(&mut self, pulled: Vec<(u32, Mat3<f64>)>) {
                with_batch!(self, |batch| batch.pulled = pulled);
            }
            /// Elements that can be pulled straight.
            pub fn are_pullable(&self) -> bool {
                with_batch!(self, |batch| batch.element.iter().any(|element| element.pull(Mat3::IDENTITY).is_some()))
            }
            /// The same elements in another precision.
            pub fn cast<S: Real>(&self) -> Elements<S> {
                match self {
                    $( Self::$variant(batch) => Elements::$variant(Batch {
                        stencil: batch.stencil.clone(),
                        element: batch.element.iter().map(|e| e.cast()).collect(),
                        pulled: batch.pulled.clone(),
                    }), )*
                }
            }
            /// The formula in WGSL with the elements' data, for a GPU; `None` if there is none.
            pub fn wgsl(&self) -> Option<WgslElement<'_>> {
                match self { $( Self::$variant(batch) => twin!(batch, $wgsl), )* }
            }
            /// The view a solver sees.
            pub fn view(&self) -> &dyn ElementBatch<R> {
                with_batch!(self, |batch| batch)
            }
        }

        $( impl<R: Real> From<Batch<$variant<R>, $arity>> for Elements<R> {
            fn from(batch: Batch<$variant<R>, $arity>) -> Self {
                Self::$variant(batch)
            }
        }

        impl<R: Real> ElementBatch<R> for Batch<$variant<R>, $arity> {
            fn name(&self) -> &'static str {
                $name
            }
            fn len(&self) -> usize {
                self.element.len()
            }
            fn arity(&self) -> usize {
                $arity
            }
            fn stencils(&self) -> &[u32] {
                self.stencil.as_flattened()
            }
            fn value_range(&self, range: Range<usize>, x: &[[R; 4]]) -> f64 {
                self.sum_values(range, x)
            }
            fn gradient_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [[R; 4]]) {
                self.write_gradients(range, x, out);
            }
            fn gradient_items(&self, items: &[u32], x: &[[R; 4]], out: &mut [[R; 4]]) {
                self.write_gradients_of(items, x, out);
            }
            fn hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>)) {
                self.visit_hessian(c, x, |e, x| Some(e.hessian_psd(x)), |p, x| Some(p.hessian_psd(x)), f);
            }
            fn exact_hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>)) {
                self.visit_hessian(c, x, |e, x| Some(e.hessian_exact(x)), |p, x| Some(p.hessian_psd(x)), f);
            }
            fn excess_hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>)) {
                self.visit_hessian(c, x, |e, x| e.hessian_excess(x), |_, _| None, f);
            }
            fn scale_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [Mat3<R>]) {
                self.write_scales(range, x, out);
            }
            fn projective(&self) -> Option<&dyn ProjectiveBatch<R>> {
                view!(self, $projective)
            }
            fn compliant(&self) -> Option<&dyn CompliantBatch<R>> {
                view!(self, $compliant)
            }
        } )*
    };
}

elements! { $
    /// Points held by springs.
    Pin 1 "pin" { projective: yes, compliant: yes, wgsl: no, convertible: no }
    /// Springs along edges.
    Spring 2 "spring" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Hinges of sheets that are flat at rest.
    QuadraticBending 4 "quadratic bending" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Hinges of sheets that are curved at rest.
    CurvedBending 4 "curved bending" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Hinges by their angle.
    DihedralBending 4 "dihedral bending" { projective: no, compliant: no, wgsl: no, convertible: no }
    /// As-rigid-as-possible triangles.
    ArapTriangle 3 "as-rigid-as-possible triangle" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Corotated linear triangles.
    CorotatedTriangle 3 "corotated triangle" { projective: no, compliant: no, wgsl: no, convertible: no }
    /// St. Venant-Kirchhoff triangles.
    StvkTriangle 3 "St. Venant-Kirchhoff triangle" { projective: no, compliant: no, wgsl: no, convertible: no }
    /// Triangles with warp, weft and shear.
    BaraffWitkinTriangle 3 "Baraff-Witkin triangle" { projective: no, compliant: no, wgsl: no, convertible: no }
    /// Strain limits of triangles.
    StrainLimitTriangle 3 "strain limit triangle" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// As-rigid-as-possible tetrahedra.
    ArapTet 4 "as-rigid-as-possible tet" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Corotated linear tetrahedra.
    CorotatedTet 4 "corotated tet" { projective: no, compliant: no, wgsl: yes, convertible: no }
    /// St. Venant-Kirchhoff tetrahedra.
    StvkTet 4 "St. Venant-Kirchhoff tet" { projective: no, compliant: no, wgsl: yes, convertible: yes }
    /// Neo-Hookean tetrahedra.
    NeoHookeanTet 4 "neo-Hookean tet" { projective: no, compliant: no, wgsl: yes, convertible: yes }
    /// Mooney-Rivlin tetrahedra.
    MooneyRivlinTet 4 "Mooney-Rivlin tet" { projective: no, compliant: no, wgsl: yes, convertible: yes }
    /// Tetrahedra of Fung's material.
    FungTet 4 "Fung tet" { projective: no, compliant: no, wgsl: yes, convertible: yes }
    /// Stable neo-Hookean tetrahedra.
    StableNeoHookeanTet 4 "stable neo-Hookean tet" { projective: no, compliant: no, wgsl: yes, convertible: yes }
    /// Tetrahedra drawn by splines.
    SplineTet 4 "spline tet" { projective: no, compliant: no, wgsl: no, convertible: yes }
    /// Strain limits of tetrahedra.
    StrainLimitTet 4 "strain limit tet" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
    /// Volume limits of tetrahedra.
    VolumeLimitTet 4 "volume limit tet" { projective: yes, compliant: yes, wgsl: yes, convertible: no }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::TET;
    use crate::math::Vec3;

    fn tets() -> (Elements<f64>, Vec<[f64; 4]>) {
        let mut batch = Batch::default();
        for i in 0..3u32 {
            let tet = ArapTet::new(TET, 2.0 + f64::from(i)).unwrap();
            batch.push([4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3], tet);
        }
        let x = (0..12).map(|i| (TET[i % 4] * (1.0 + 0.1 * i as f64)).store()).collect();
        (batch.into(), x)
    }

    #[test]
    fn a_view_says_what_its_elements_say() {
        let (elements, x) = tets();
        let Elements::ArapTet(batch) = &elements else { panic!("tets became {}", elements.name()) };
        let view = elements.view();
        assert_eq!((view.name(), view.len(), view.arity()), ("as-rigid-as-possible tet", 3, 4));
        assert_eq!(view.stencil(1), [4, 5, 6, 7]);
        let points = |c: usize| std::array::from_fn::<_, 4, _>(|k| Vec3::load(x[4 * c + k]));
        use crate::material::{Compliant, Energy, Projective};
        let sum: f64 = (1..3).map(|c| batch.element[c].value(&points(c))).sum();
        assert_eq!(view.value_range(1..3, &x), sum);

        let mut out = vec![[f64::NAN; 4]; 8];
        view.gradient_range(1..3, &x, &mut out);
        assert_eq!(out[4..], batch.element[2].gradient(&points(2)).map(Vec3::store));
        view.gradient_items(&[2, 0], &x, &mut out);
        assert_eq!(out[..4], batch.element[2].gradient(&points(2)).map(Vec3::store));
        assert_eq!(out[4..], batch.element[0].gradient(&points(0)).map(Vec3::store));
        let projective = view.projective().unwrap();
        projective.project_range(1..3, &x, &mut out);
        assert_eq!(out[..4], batch.element[1].project(&points(1)).map(Vec3::store));
        let mut entries = 0;
        projective.stiffness(2, &mut |i, j, k| {
            assert_eq!(k, batch.element[2].stiffness()[i][j]);
            entries += 1;
        });
        assert_eq!(entries, 16);
        let mut gradient = [[0.0; 4]; 4];
        let c = view.compliant().unwrap().constraint(1, &x, &mut gradient);
        assert_eq!((c, gradient.map(Vec3::load)), batch.element[1].constraint(&points(1)));
        let hessian = batch.element[0].hessian_psd(&points(0));
        view.hessian_blocks(0, &x, &mut |i, j, block| assert_eq!(block, hessian[i][j]));
        let mut diagonal = vec![Mat3::ZERO; 12];
        view.scale_range(0..3, &x, &mut diagonal);
        assert_eq!(diagonal[4..8], batch.element[1].scale(&points(1)));
    }

    #[test]
    fn casting_keeps_kind_and_count_and_rounds_numbers() {
        let (elements, _) = tets();
        let single = elements.cast::<f32>();
        assert_eq!((single.name(), single.len(), single.arity()), (elements.name(), 3, 4));
        let Elements::ArapTet(batch) = &single else { panic!("tets became {}", single.name()) };
        assert_eq!(batch.element[1].kappa, 3.0f32);
    }

    #[test]
    fn capabilities_in_the_list_are_those_of_the_view() {
        let hinges: Elements<f64> = Batch::<DihedralBending<f64>, 4>::default().into();
        assert!(!hinges.is_projective() && hinges.view().projective().is_none());
        assert!(!hinges.is_compliant() && hinges.view().compliant().is_none());
        let springs: Elements<f64> = Batch::<Spring<f64>, 2>::default().into();
        assert!(springs.is_projective() && springs.view().projective().is_some() && springs.is_empty());
        assert!(Elements::<f64>::ALL.contains(&("spring", 2)));
    }
}
