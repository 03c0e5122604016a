//! A model at one step size, laid out for the CPU.

use super::balance::Balance;
use super::rows::{Rows, blocks};
use super::touching::Touching;
use crate::colouring::Colouring;
use crate::contact::{Grip, PosedCollider, Pressed, Pressing};
use crate::device::rows::{is_in_rows, vertex_rows};
use crate::device::{Measures, Parts};
use crate::linear::{Cholesky, Csr};
use crate::material::Elements;
use crate::math::{Real, Sym3, Vec3};
use crate::mesh::topology::Incidence;
use crate::model::{Model, Potential, System, Viscous};
use std::sync::Arc;

/// A model at one step size on the CPU, with the step's inertial target, pins and colliders, and scratch.
pub struct CpuProblem<R: Real> {
    pub(super) model: Arc<Model>,
    pub(super) system: Arc<System>,
    /// All elements in this precision.
    pub(super) elements: Vec<Elements<R>>,
    /// Springs and constant Hessians.
    pub(super) rows: Rows<R>,
    /// Everything else: one slot per (element, corner), gathered by the vertices.
    pub(super) slotted: Slotted<R>,
    /// m/h² plus stiffness of spring pins, N/m.
    pub(super) inertia: Vec<R>,
    /// Diagonal of A without contacts, N/m.
    pub(super) diagonal: Vec<R>,
    /// 1/diagonal; 0 for held vertices.
    pub(super) inv_diagonal: Vec<R>,
    /// 1/kg; 0 for held vertices.
    pub(super) inv_mass: Vec<R>,
    pub(super) contact_stiffness: Vec<R>,
    pub(super) thickness: Vec<R>,
    /// Inertial target, and where held vertices are, m.
    pub(super) x_tilde: Vec<[R; 4]>,
    /// The same with the targets of spring pins averaged in: what the gradient sees, m.
    pub(super) x_pull: Vec<[R; 4]>,
    /// Force of all winds on each vertex, N, and in the last place how much it falls per speed of the vertex, N·s/m; empty
    /// without wind.
    pub(super) wind: Vec<[R; 4]>,
    pub(super) colliders: Vec<PosedCollider<R>>,
    /// Pins that are springs: vertex, target, stiffness.
    pub(super) spring_pins: Vec<(u32, Vec3<R>, R)>,
    /// Where each vertex was at the start of the step, m, and in the last place how far `enforce` has pushed it out of
    /// colliders since, m.
    pub(super) start: Vec<[R; 4]>,
    /// Contact stiffness active at the last gradient, N/m.
    pub(super) contact: Vec<Sym3<R>>,
    /// Pushes among them, of all gradients of this step; see [`crate::contact::covered`].
    pub(super) pushes: Vec<Sym3<R>>,
    /// Friction among them, N/m.
    pub(super) friction: Vec<Sym3<R>>,
    /// No gradient of this step has looked at the contacts yet.
    pub(super) fresh_step: bool,
    /// Damping that couples vertices, if there is any.
    pub(super) viscous: Option<Viscous<R>>,
    /// Contacts between bodies in the step in progress.
    pub(super) touching: Touching<R>,
    /// Friction of the step in progress, and the faces that vertices lie on; empty without colliders.
    pub(super) grips: Vec<Grip<R>>,
    /// The parts that move as a whole.
    pub(super) parts: Parts,
    /// How much each part is pressed against each collider in this step; see [`crate::contact::pressed`].
    pub(super) pressed: Vec<Pressed<R>>,
    /// A in this precision, by rows.
    pub(super) matrix: Vec<R>,
    pub(super) colouring: Option<Colouring>,
    /// Made when they are first relaxed.
    pub(super) by_colour: Option<super::relax::ByColour<R>>,
    pub(super) direct: Option<Direct>,
    /// Made when descent first asks for it.
    pub(super) scale: Option<super::scale::VertexScale<R>>,
    pub(super) multigrid: Option<super::multigrid::Multigrid<R>>,
    /// Made when a step is first linearised.
    pub(super) linear: Option<Box<super::linear::Linear<R>>>,
    pub(super) constraints: Option<super::constrain::Constraints<R>>,
    /// Found when they are first turned.
    pub(super) free_parts: Option<Incidence>,
    pub(super) potential: Potential,
    pub(super) potential_is_current: bool,
    pub(super) measures: Measures,
    pub(super) scratch: Scratch<R>,
}

/// Host-precision scratch that verbs share.
#[derive(Default)]
pub(super) struct Scratch<R> {
    pub parts: Vec<f64>,
    pub pressing: [Vec<Pressing<f64>>; 2],
    pub x: Vec<[f64; 4]>,
    pub gradient: Vec<[f64; 4]>,
    pub rhs: Vec<f64>,
    pub balance: Balance<R>,
}

/// The factor of A and the contacts it was made with.
pub(super) struct Direct {
    pub cholesky: Cholesky,
    /// A with these contacts on its diagonal.
    pub matrix: Csr,
    pub contact: Vec<f64>,
    /// No solve of this step has looked at the contacts yet.
    pub fresh_step: bool,
}

/// Elements whose forces are written to slots.
pub(super) struct Slotted<R> {
    /// Index into `elements`, and where its slots start.
    pub batches: Vec<(usize, usize)>,
    pub slots: Vec<[R; 4]>,
    /// Slots of vertex i: `item[offset[i]..offset[i + 1]]`.
    pub offset: Vec<u32>,
    pub item: Vec<u32>,
}

impl<R: Real> Slotted<R> {
    /// For the batches that `wanted` picks.
    pub fn new(vertices: usize, elements: &[Elements<R>], wanted: impl Fn(&Elements<R>) -> bool) -> Self {
        let mut batches = Vec::new();
        let mut total = 0;
        let mut offset = vec![0u32; vertices + 1];
        for (index, elements) in elements.iter().enumerate().filter(|(_, elements)| wanted(elements)) {
            batches.push((index, total));
            let batch = elements.view();
            total += batch.len() * batch.arity();
            for c in 0..batch.len() {
                batch.stencil(c).iter().for_each(|&i| offset[i as usize + 1] += 1);
            }
        }
        for i in 0..vertices {
            offset[i + 1] += offset[i];
        }
        let mut next = offset.clone();
        let mut item = vec![0u32; total];
        for &(index, start) in &batches {
            let batch = elements[index].view();
            for c in 0..batch.len() {
                for (corner, &i) in batch.stencil(c).iter().enumerate() {
                    item[next[i as usize] as usize] = (start + c * batch.arity() + corner) as u32;
                    next[i as usize] += 1;
                }
            }
        }
        Self { batches, slots: vec![[R::ZERO; 4]; total], offset, item }
    }

    /// Slots of a vertex.
    #[inline(always)]
    pub fn of(&self, i: usize) -> &[u32] {
        &self.item[self.offset[i] as usize..self.offset[i + 1] as usize]
    }
}

impl<R: Real> CpuProblem<R> {
    pub(super) fn new(model: &Arc<Model>, system: &Arc<System>) -> Self {
        let n = model.vertices();
        let elements: Vec<Elements<R>> = model.elements.iter().map(Elements::cast).collect();
        let slotted = Slotted::new(n, &elements, |elements| !is_in_rows(elements));
        let of = |values: &[f64]| -> Vec<R> { values.iter().map(|&v| R::of(v)).collect() };
        let diagonal = &system.diagonal;
        let free = |i: usize, value: f64| R::of(if system.held[i] { 0.0 } else { value });
        Self {
            rows: Rows::new(&vertex_rows(model, system), blocks(&Vec::from_iter(0..n as u32)).collect()),
            slotted,
            inertia: (0..n).map(|i| free(i, system.inertia[i] + system.pin_stiffness[i])).collect(),
            diagonal: of(diagonal),
            inv_diagonal: (0..n).map(|i| free(i, 1.0 / diagonal[i])).collect(),
            inv_mass: (0..n).map(|i| free(i, 1.0 / model.mass[i])).collect(),
            contact_stiffness: of(&system.contact_stiffness),
            thickness: of(&model.thickness),
            x_tilde: vec![[R::ZERO; 4]; n],
            x_pull: vec![[R::ZERO; 4]; n],
            wind: vec![[R::ZERO; 4]; if model.winds.is_empty() { 0 } else { n }],
            colliders: Vec::new(),
            spring_pins: Vec::new(),
            start: vec![[R::ZERO; 4]; n],
            contact: vec![Sym3::ZERO; n],
            pushes: vec![Sym3::ZERO; n],
            friction: vec![Sym3::ZERO; n],
            fresh_step: true,
            viscous: Viscous::new(model),
            touching: Touching::default(),
            grips: Vec::new(),
            parts: Parts::new(model, system),
            pressed: Vec::new(),
            matrix: of(&system.matrix.value),
            colouring: None,
            by_colour: None,
            direct: None,
            scale: None,
            multigrid: None,
            linear: None,
            constraints: None,
            free_parts: None,
            potential: Potential::new(model.clone(), system.clone()),
            potential_is_current: false,
            measures: Measures::default(),
            scratch: Scratch::default(),
            elements,
            model: model.clone(),
            system: system.clone(),
        }
    }

    /// Bytes that one Jacobi sweep has to move, for the streaming floor of the benchmarks.
    pub fn sweep_bytes(&self) -> usize {
        // x and x⁻ are read, x⁺ is written, x̃ is read; inertia and diagonal are read.
        let n = self.diagonal.len();
        // Data and stencils of the other elements are read; their slots are written and read, and found by an item.
        let Slotted { batches, slots, item, .. } = &self.slotted;
        let elements: usize = batches.iter().map(|&(index, _)| self.elements[index].bytes()).sum();
        let slotted = elements + 2 * size_of_val(&slots[..]) + size_of_val(&item[..]);
        self.rows.bytes() + slotted + n * (4 * size_of::<[R; 4]>() + 2 * size_of::<R>())
    }
}
