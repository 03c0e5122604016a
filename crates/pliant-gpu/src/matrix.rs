//! The verbs on the matrix A: products and Gauss-Seidel. Their rows are brought to the device at the first call.

use crate::buffer::{Buffer, Field};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel};
use crate::problem::GpuProblem;
use crate::rows::{MatrixRows, SLICE};
use bytemuck::{Pod, Zeroable};
use pliant::colouring::{Colouring, greedy};
use pliant::device::Blend;
use pliant::linear::Csr;
use pliant::mesh::topology::Incidence;
use std::sync::Arc;

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct MatrixParameters {
    n: u32,
    first: u32,
    omega: f32,
    gamma: f32,
    touching: u32,
}

/// A on the device.
pub(crate) struct Matrix {
    divide: Arc<Kernel>,
    multiply: Arc<Kernel>,
    gauss_seidel: Arc<Kernel>,
    descend: Arc<Kernel>,
    /// In the order of the vertices.
    plain: MatrixRows,
    /// By colours.
    coloured: Option<MatrixRows>,
}

/// Vertices that no element shares, for Gauss-Seidel.
pub(crate) fn matrix_colouring(matrix: &Csr) -> Colouring {
    greedy(&Incidence { offset: matrix.offset.clone(), item: matrix.column.clone() })
}

/// The text of these kernels.
pub(crate) fn text() -> String {
    let (sym3, cover) = (pliant::math::SYM3_WGSL, pliant::contact::COVER_WGSL);
    let (diagonal, matrix) = (include_str!("kernels/diagonal.wgsl"), include_str!("kernels/matrix.wgsl"));
    format!("const SLICE: u32 = {SLICE}u;\n{sym3}\n{cover}\n{diagonal}\n{matrix}")
}

fn buffers<'a>(problem: &'a GpuProblem, rows: &'a MatrixRows, r: &'a Field, z: &'a Field) -> [&'a Buffer; 8] {
    let GpuProblem { contact, inv_diagonal, nothing, .. } = problem;
    [&r.buffer, &z.buffer, contact, &rows.slices, &rows.entries, &rows.groups.vertices, inv_diagonal, &nothing.read]
}

impl Gpu {
    /// Makes sure that A is there; reports a fault if it cannot be.
    fn ensure_matrix(&mut self, problem: &mut GpuProblem, coloured: bool) {
        self.make_matrix(problem, coloured).unwrap_or_else(|error| self.context.faults.report(error));
    }

    fn make_matrix(&mut self, problem: &mut GpuProblem, coloured: bool) -> Result<(), GpuError> {
        let (order, matrix) = (&problem.order, &problem.system.matrix);
        if problem.matrix.is_none() {
            use Access::{Read, Write};
            let access = [Read, Write, Read, Read, Read, Read, Read, Read];
            let text = text();
            let mut kernel = |entry| self.library.kernel::<MatrixParameters>("matrix", &text, entry, &access);
            problem.matrix = Some(Matrix {
                divide: kernel("divide")?,
                multiply: kernel("multiply")?,
                gauss_seidel: kernel("gauss_seidel")?,
                descend: kernel("descend")?,
                plain: MatrixRows::new(&self.context, matrix, order, std::iter::once(&order.vertex[..]))?,
                coloured: None,
            });
        }
        if let Some(Matrix { coloured: rows @ None, .. }) = problem.matrix.as_mut().filter(|_| coloured) {
            *rows = Some(MatrixRows::new(&self.context, matrix, order, matrix_colouring(matrix).classes.rows())?);
        }
        Ok(())
    }

    pub(crate) fn divide(&mut self, problem: &GpuProblem, r: &Field, z: &Field) {
        let Some(matrix) = &problem.matrix else { return };
        self.run_rows(problem, &matrix.divide, &matrix.plain, (r, z));
    }

    pub(crate) fn multiply(&mut self, problem: &GpuProblem, r: &Field, z: &Field) {
        let Some(matrix) = &problem.matrix else { return };
        self.run_rows(problem, &matrix.multiply, &matrix.plain, (r, z));
    }

    /// A kernel on all rows, without blends.
    fn run_rows(&mut self, problem: &GpuProblem, kernel: &Kernel, rows: &MatrixRows, (r, z): (&Field, &Field)) {
        let parameters = MatrixParameters { n: problem.n, touching: problem.may_touch(), ..Default::default() };
        self.recorder.run(kernel, &buffers(problem, rows, r, z), &parameters, problem.n);
    }

    /// Descent with contacts.
    pub(crate) fn descend_touching(
        &mut self,
        problem: &GpuProblem,
        z: &Field,
        x: &Field,
        x_before: &Field,
        blend: Blend,
    ) {
        let Some(matrix) = &problem.matrix else { return };
        let mut buffers = buffers(problem, &matrix.plain, z, x_before);
        buffers[7] = &x.buffer;
        let (omega, gamma) = (blend.omega as f32, blend.under_relaxation as f32);
        let parameters = MatrixParameters { n: problem.n, first: 0, omega, gamma, touching: problem.may_touch() };
        self.recorder.run(&matrix.descend, &buffers, &parameters, problem.n);
    }

    /// A for products and divisions, which come after gradients.
    pub(crate) fn prepare_matrix(&mut self, problem: &mut GpuProblem) {
        self.ensure_matrix(problem, false);
    }

    pub(crate) fn matrix_colours(&mut self, problem: &mut GpuProblem) -> usize {
        self.ensure_matrix(problem, true);
        let coloured = problem.matrix.as_ref().and_then(|matrix| matrix.coloured.as_ref());
        coloured.map_or(0, |rows| rows.groups.ranges.len())
    }

    pub(crate) fn gauss_seidel_colour(
        &mut self,
        problem: &GpuProblem,
        colour: usize,
        omega: f64,
        r: &Field,
        z: &Field,
    ) {
        let Some(matrix) = &problem.matrix else { return };
        let Some(rows) = &matrix.coloured else { return };
        let [first, n] = rows.groups.ranges[colour];
        let buffers = buffers(problem, rows, r, z);
        let parameters = MatrixParameters { n, first, omega: omega as f32, touching: problem.may_touch(), gamma: 0.0 };
        self.recorder.run(&matrix.gauss_seidel, &buffers, &parameters, n);
    }
}
