//! Sums of all numbers up to each, see `scan.wgsl`.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, GROUP, Kernel};
use crate::library::Library;
use crate::recorder::Recorder;
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Numbers that a workgroup adds up; GROUP times EACH of scan.wgsl.
const CHUNK: u32 = GROUP * 8;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ScanParameters {
    n: u32,
}

/// Scans arrays of up to so many numbers.
#[derive(Debug)]
pub(crate) struct Scan {
    add_chunks: Arc<Kernel>,
    scan_sums: Arc<Kernel>,
    scan_chunks: Arc<Kernel>,
    sums: Buffer,
}

impl Scan {
    pub(crate) fn new(context: &Context, library: &mut Library, most: u32) -> Result<Self, GpuError> {
        let text = include_str!("kernels/scan.wgsl");
        let mut kernel = |entry: &str| library.kernel::<ScanParameters>("scan", text, entry, &[Access::Write; 2]);
        Ok(Self {
            add_chunks: kernel("add_chunks")?,
            scan_sums: kernel("scan_sums")?,
            scan_chunks: kernel("scan_chunks")?,
            sums: Buffer::new(context, "sums of chunks", 4 * u64::from(most.div_ceil(CHUNK)))?,
        })
    }

    /// Replaces the first n of `values`, u32, by the sums of all up to each.
    pub(crate) fn scan(&self, recorder: &mut Recorder, values: &Buffer, n: u32) {
        let chunks = n.div_ceil(CHUNK);
        let buffers = [values, &self.sums];
        if chunks > 1 {
            recorder.dispatch(&self.add_chunks, &buffers, &ScanParameters { n }, chunks);
            recorder.dispatch(&self.scan_sums, &buffers, &ScanParameters { n: chunks }, 1);
        }
        recorder.dispatch(&self.scan_chunks, &buffers, &ScanParameters { n }, chunks);
    }
}
