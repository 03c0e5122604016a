//! The list of elements. A new one is its file and one line here.

use super::batch::{Batch, CompliantBatch, ElementBatch, ProjectiveBatch};
use super::{ArapTet, QuadraticBending, Spring};
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
macro_rules! flag {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

macro_rules! elements {
    ($dollar:tt $( $(#[$doc:meta])* $variant:ident $arity:literal $name:literal
        { projective: $projective:ident, compliant: $compliant:ident } )*) => {
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
            /// The same elements in another precision.
            pub fn cast<S: Real>(&self) -> Elements<S> {
                match self {
                    $( Self::$variant(batch) => Elements::$variant(Batch {
                        stencil: batch.stencil.clone(),
                        element: batch.element.iter().map(|e| e.cast()).collect(),
                    }), )*
                }
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
            fn hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>)) {
                self.visit_hessian(c, x, f);
            }
            fn hessian_diagonal_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [Mat3<R>]) {
                self.write_diagonals(range, x, out);
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
    /// Springs along edges.
    Spring 2 "spring" { projective: yes, compliant: yes }
    /// Hinges of sheets that are flat at rest.
    QuadraticBending 4 "quadratic bending" { projective: yes, compliant: yes }
    /// As-rigid-as-possible tetrahedra.
    ArapTet 4 "as-rigid-as-possible tet" { projective: yes, compliant: yes }
}
