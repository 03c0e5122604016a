//! What depends on the step size: the global matrix of projective dynamics (course eq 14),
//! A = M/h² + Σ w_c A_cᵀA_c, with exactly held vertices taken out.

use super::Model;
use crate::linear::Csr;
use crate::material::Elements;

/// The constant matrix and per-vertex stiffnesses of a model at one step size, while the same pins hold.
#[derive(Clone, Debug)]
pub struct System {
    /// Step size, s.
    pub h: f64,
    /// A, N/m; rows and columns of exactly held vertices are those of the identity.
    pub matrix: Csr,
    /// Diagonal of A, N/m; 1 for held vertices.
    pub diagonal: Vec<f64>,
    /// The same with the elements that are not in A, as they are at rest, N/m: how stiff each vertex is.
    pub stiffness: Vec<f64>,
    /// Which vertices are held exactly.
    pub held: Vec<bool>,
    /// m/h², N/m; zero for held vertices.
    pub inertia: Vec<f64>,
    /// Stiffness of pins that are springs, N/m.
    pub pin_stiffness: Vec<f64>,
    /// Stiffness of a contact at each vertex, N/m.
    pub contact_stiffness: Vec<f64>,
}

impl System {
    /// For steps of `h` seconds that end while the pins of `time` hold.
    pub fn new(model: &Model, h: f64, time: f64) -> Self {
        let n = model.vertices();
        let mut held = vec![false; n];
        let mut pin_stiffness = vec![0.0; n];
        for pin in model.pins.iter().filter(|pin| pin.holds_at(time)) {
            match pin.stiffness {
                None => held[pin.vertex as usize] = true,
                Some(stiffness) => pin_stiffness[pin.vertex as usize] += stiffness,
            }
        }
        // A vertex without mass belongs to nothing: it stays where it is.
        held.iter_mut().zip(&model.mass).for_each(|(held, mass)| *held |= *mass == 0.0);
        let inertia: Vec<f64> = (0..n).map(|i| if held[i] { 0.0 } else { model.mass[i] / (h * h) }).collect();

        let mut triplets = Vec::new();
        for elements in model.elements.iter().filter(|elements| elements.is_projective()) {
            collect_stiffness(elements, &held, &mut triplets);
        }
        let own = (0..n).map(|i| (i as u32, i as u32, if held[i] { 1.0 } else { inertia[i] + pin_stiffness[i] }));
        let matrix = Csr::from_triplets(n, triplets.iter().copied().chain(own));

        let diagonal = matrix.diagonal();
        let mut stiffness = diagonal.clone();
        for elements in model.elements.iter().filter(|elements| !elements.is_projective()) {
            add_rest_diagonal(elements, &model.rest_x, &mut stiffness);
        }
        let contact_stiffness = stiffness.iter().map(|stiffness| stiffness * model.contact_stiffness).collect();
        Self { h, matrix, diagonal, stiffness, held, inertia, pin_stiffness, contact_stiffness }
    }

    /// Whether a pin holds or pulls some of these vertices.
    pub fn holds_some_of(&self, model: &Model, vertices: &[u32]) -> bool {
        let pinned = |i: usize| self.held[i] || self.pin_stiffness[i] > 0.0;
        vertices.iter().any(|&i| model.mass[i as usize] > 0.0 && pinned(i as usize))
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.held.len()
    }
}

impl Model {
    /// How stiff each vertex is at rest, N/m, apart from inertia, pins and contacts: the diagonal of ∇²E, averaged over axes.
    pub fn rest_stiffness(&self) -> Vec<f64> {
        let mut stiffness = vec![0.0; self.vertices()];
        for elements in &self.elements {
            let batch = elements.view();
            let Some(projective) = batch.projective() else {
                add_rest_diagonal(elements, &self.rest_x, &mut stiffness);
                continue;
            };
            for c in 0..batch.len() {
                let stencil = batch.stencil(c);
                projective.stiffness(c, &mut |i, j, value| {
                    if i == j {
                        stiffness[stencil[i] as usize] += value;
                    }
                });
            }
        }
        stiffness
    }
}

fn collect_stiffness(elements: &Elements<f64>, held: &[bool], triplets: &mut Vec<(u32, u32, f64)>) {
    let batch = elements.view();
    let Some(projective) = batch.projective() else { return };
    for c in 0..batch.len() {
        let stencil = batch.stencil(c);
        projective.stiffness(c, &mut |i, j, value| {
            let (row, column) = (stencil[i], stencil[j]);
            if !held[row as usize] && !held[column as usize] {
                triplets.push((row, column, value));
            }
        });
    }
}

/// Elements outside A: a third of the trace of their diagonal blocks at rest.
fn add_rest_diagonal(elements: &Elements<f64>, rest_x: &[[f64; 3]], diagonal: &mut [f64]) {
    let rest: Vec<[f64; 4]> = rest_x.iter().map(|x| [x[0], x[1], x[2], 0.0]).collect();
    let batch = elements.view();
    for c in 0..batch.len() {
        let stencil = batch.stencil(c);
        batch.hessian_blocks(c, &rest, &mut |i, j, block| {
            if i == j {
                diagonal[stencil[i] as usize] += block.trace() / 3.0;
            }
        });
    }
}
