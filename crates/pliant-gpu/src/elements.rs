//! The elements of one kind on the device: data, stencils, and the kernels made from their WGSL formulas.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, Kernel, SMALL_GROUP};
use crate::library::Library;
use crate::order::Order;
use bytemuck::{Pod, Zeroable};
use pliant::colouring::{Colouring, Stencils, greedy_elements};
use pliant::material::{Elements, WgslElement, wgsl_formulas};
use pliant::math::{SYM3_WGSL, WGSL};
use std::sync::Arc;

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ElementParameters {
    pub n: u32,
    pub first: u32,
    pub inv_h_sq: f32,
    pub extended: u32,
}

/// The elements of one kind, near ones next to each other.
pub(crate) struct Batch {
    pub(crate) data: Buffer,
    pub(crate) stencils: Buffer,
    pub(crate) count: u32,
    pub(crate) arity: u32,
    /// Index into the model's elements, and which of them, in the order they have here.
    pub(crate) index: usize,
    pub(crate) items: Vec<u32>,
    pub(crate) fill: Arc<Kernel>,
    pub(crate) energy: Arc<Kernel>,
    /// The first of their corners that have slots, if they have any.
    pub(crate) first_slot: Option<u32>,
}

/// The same elements sorted by colour, for position-based sweeps.
pub(crate) struct ColouredBatch {
    pub(crate) data: Buffer,
    pub(crate) stencils: Buffer,
    pub(crate) multipliers: Buffer,
    pub(crate) correct_colour: Arc<Kernel>,
    /// First element and number of elements of each colour.
    pub(crate) colours: Vec<[u32; 2]>,
}

/// All elements of one kind at once, for position-based Jacobi sweeps.
pub(crate) struct CorrectedBatch {
    pub(crate) data: Buffer,
    pub(crate) stencils: Buffer,
    pub(crate) correct_all: Arc<Kernel>,
    pub(crate) count: u32,
    pub(crate) first_slot: u32,
}

pub(crate) const ACCESS: [Access; 8] = {
    use Access::{Read, Write};
    [Read, Read, Write, Write, Write, Read, Write, Read]
};

/// The text of all kernels of an element.
pub(crate) fn text(element: &WgslElement, corrections: bool) -> String {
    let mut out = formulas(element) + &expand(element, include_str!("kernels/element.wgsl"));
    if corrections {
        out += &element.correction();
        out += &expand(element, include_str!("kernels/correct.wgsl"));
    }
    out
}

/// The text of the kernel that finds diagonal blocks.
pub(crate) fn scale_text(element: &WgslElement) -> String {
    text(element, false) + &expand(element, include_str!("kernels/element_scale.wgsl"))
}

/// The text of the kernel that converts elements.
pub(crate) fn convert_text(element: &WgslElement) -> String {
    formulas(element) + &expand(element, include_str!("kernels/convert.wgsl"))
}

fn formulas(element: &WgslElement) -> String {
    format!("{WGSL}\n{SYM3_WGSL}\n{}\n", wgsl_formulas(&[*element]))
}

pub(crate) fn expand(element: &WgslElement, template: &str) -> String {
    let mut out = String::new();
    for line in template.lines() {
        let line = line
            .replace("PREFIX", element.prefix)
            .replace("ARITY", &element.arity.to_string())
            .replace("WORDS", &element.words.to_string());
        out += &repeated(&line, "CORNER", element.arity);
    }
    out
}

/// A line of code with `name` once for each number below `times`; any other line as it is.
pub(crate) fn repeated(line: &str, name: &str, times: usize) -> String {
    let copies = if line.contains(name) && !line.starts_with("//") { times } else { 1 };
    (0..copies).map(|k| line.replace(name, &k.to_string()) + "\n").collect()
}

impl Batch {
    /// `None` for elements without a formula in WGSL.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        index: usize,
        elements: &Elements<f64>,
        order: &Order,
    ) -> Result<Option<Self>, GpuError> {
        let Some(element) = elements.wgsl() else { return Ok(None) };
        let source = text(&element, false);
        let mut all: Vec<u32> = (0..elements.len() as u32).collect();
        // Elements near each other read the same vertices.
        let batch = elements.view();
        let first = |c: &u32| batch.stencil(*c as usize).iter().map(|&i| order.place[i as usize]).min();
        all.sort_by_key(|c| (first(c), *c));
        let (data, stencils) = (words(context, &element, &all)?, stencils(context, elements, order, &all)?);
        Ok(Some(Self {
            data,
            stencils,
            count: elements.len() as u32,
            arity: element.arity as u32,
            index,
            fill: library.kernel_of::<ElementParameters>(SMALL_GROUP, element.prefix, &source, "fill", &ACCESS)?,
            energy: library.kernel::<ElementParameters>(element.prefix, &source, "energy", &ACCESS)?,
            items: all,
            first_slot: None,
        }))
    }
}

/// Elements that position-based dynamics corrects: those of zero stiffness are left out.
fn correctable(elements: &Elements<f64>) -> Vec<u32> {
    let Some(compliant) = elements.view().compliant() else { return Vec::new() };
    (0..elements.len()).filter(|&c| compliant.compliance(c).is_finite()).map(|c| c as u32).collect()
}

impl CorrectedBatch {
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        elements: &Elements<f64>,
        order: &Order,
        first_slot: u32,
    ) -> Result<Option<Self>, GpuError> {
        let Some(element) = elements.wgsl().filter(|_| elements.is_compliant()) else { return Ok(None) };
        let source = text(&element, true);
        let items = correctable(elements);
        Ok(Some(Self {
            data: data(context, &element, &items)?,
            stencils: stencils(context, elements, order, &items)?,
            correct_all: library.kernel::<ElementParameters>(element.prefix, &source, "correct_all", &ACCESS)?,
            count: items.len() as u32,
            first_slot,
        }))
    }

    /// Places of all corners, in the order of the slots.
    pub(crate) fn corners(elements: &Elements<f64>, order: &Order) -> Vec<u32> {
        places(elements, order, &correctable(elements))
    }
}

impl ColouredBatch {
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        vertices: usize,
        elements: &Elements<f64>,
        order: &Order,
    ) -> Result<Option<Self>, GpuError> {
        let Some(element) = elements.wgsl().filter(|_| elements.is_compliant() && !elements.is_empty()) else {
            return Ok(None);
        };
        let source = text(&element, true);
        let colouring: Colouring =
            greedy_elements(vertices, &[Stencils::flat(elements.arity(), elements.view().stencils())]);
        let correctable: std::collections::HashSet<u32> = correctable(elements).into_iter().collect();
        let (mut items, mut colours) = (Vec::new(), Vec::new());
        for class in colouring.classes.rows() {
            let first = items.len() as u32;
            items.extend(class.iter().copied().filter(|c| correctable.contains(c)));
            colours.push([first, items.len() as u32 - first]);
        }
        Ok(Some(Self {
            data: data(context, &element, &items)?,
            stencils: stencils(context, elements, order, &items)?,
            multipliers: Buffer::new(context, "multipliers", 4 * items.len() as u64)?,
            correct_colour: library.kernel::<ElementParameters>(element.prefix, &source, "correct_colour", &ACCESS)?,
            colours,
        }))
    }
}

fn data(context: &Context, element: &WgslElement, items: &[u32]) -> Result<Buffer, GpuError> {
    let mut out = vec![0.0f32; items.len() * element.words];
    for (&c, words) in items.iter().zip(out.chunks_exact_mut(element.words)) {
        element.pack(c as usize, words);
    }
    Buffer::with(context, &format!("{} data", element.prefix), &out)
}

/// The same word by word: invocations next to each other read what lies together.
fn words(context: &Context, element: &WgslElement, items: &[u32]) -> Result<Buffer, GpuError> {
    let mut out = vec![0.0f32; items.len() * element.words];
    let mut own = vec![0.0; element.words];
    for (at, &c) in items.iter().enumerate() {
        element.pack(c as usize, &mut own);
        own.iter().enumerate().for_each(|(word, value)| out[at + word * items.len()] = *value);
    }
    Buffer::with(context, &format!("{} data", element.prefix), &out)
}

pub(crate) fn places(elements: &Elements<f64>, order: &Order, items: &[u32]) -> Vec<u32> {
    let batch = elements.view();
    items.iter().flat_map(|&c| batch.stencil(c as usize)).map(|&i| order.place[i as usize]).collect()
}

fn stencils(context: &Context, elements: &Elements<f64>, order: &Order, items: &[u32]) -> Result<Buffer, GpuError> {
    Buffer::with(context, &format!("{} stencils", elements.name()), &places(elements, order, items))
}
