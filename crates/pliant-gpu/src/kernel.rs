//! Compute pipelines from WGSL.

use crate::adapter::MAX_PARAMETERS;
use crate::context::{Context, Id, Trust};
use crate::error::GpuError;
use std::sync::Arc;

/// Helpers for every kernel: indices, exact sums, reductions over a workgroup.
pub(crate) const PRELUDE: &str = include_str!("prelude.wgsl");

/// Invocations in a workgroup, unless a module wants another number.
pub(crate) const GROUP: u32 = 256;

/// Invocations in a workgroup of kernels that run often and reduce nothing: small meshes fill more of the GPU.
pub(crate) const SMALL_GROUP: u32 = 64;

/// Storage buffers a kernel can have. WebGPU promises 8, desktop drivers offer more; an adapter that offers fewer than this
/// is refused when it is opened.
pub(crate) const MAX_BINDINGS: usize = 16;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
}

/// WGSL text, parsed.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    label: String,
    raw: wgpu::ShaderModule,
    group: u32,
}

/// One entry point of a module. Its buffers are bindings 0, 1, … of group 0.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) id: Id,
    pub(crate) label: String,
    pub(crate) raw: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
    /// Number of buffers.
    pub(crate) bindings: usize,
    /// Size of its `var<immediate>`, bytes.
    pub(crate) parameters: usize,
    /// Invocations in a workgroup.
    pub(crate) group: u32,
}

/// The text that is compiled: the constant `GROUP`, the prelude, then `text`.
pub(crate) fn with_prelude(text: &str, group: u32) -> String {
    format!("const GROUP: u32 = {group}u;\n{PRELUDE}\n{text}")
}

impl Module {
    /// `text` after the prelude, with workgroups of [`GROUP`].
    pub(crate) fn new(context: &Arc<Context>, label: &str, text: &str) -> Result<Self, GpuError> {
        Self::with_group(context, label, text, GROUP)
    }

    /// `text` after the prelude, with workgroups of `group`, a power of two.
    pub(crate) fn with_group(context: &Arc<Context>, label: &str, text: &str, group: u32) -> Result<Self, GpuError> {
        debug_assert!(group.is_power_of_two(), "reductions halve a workgroup");
        let source = wgpu::ShaderSource::Wgsl(with_prelude(text, group).into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
        let raw = context.checked(&format!("shader {label}"), || match context.trust {
            Trust::Checked => context.device.create_shader_module(descriptor),
            // SAFETY: the text is ours, and its tests run it checked: it indexes inside its buffers, its loops end.
            Trust::Trusted => unsafe {
                context.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
            },
        })?;
        Ok(Self { context: context.clone(), label: label.to_owned(), raw, group })
    }

    /// The entry point `entry`, with one buffer per `access`, and parameters of type `P` (multiples of 4 bytes, at most
    /// 128; `()` for none).
    pub(crate) fn kernel<P>(&self, entry: &str, access: &[Access]) -> Result<Kernel, GpuError> {
        let parameters = size_of::<P>();
        debug_assert!(parameters <= MAX_PARAMETERS as usize && parameters.is_multiple_of(4));
        debug_assert!(access.len() <= MAX_BINDINGS);
        let label = format!("{}.{entry}", self.label);
        let entries: Vec<_> = (0..).zip(access).map(layout_entry).collect();
        let device = &self.context.device;
        let (raw, layout) = self.context.checked(&format!("kernel {label}"), || {
            let layout = device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(&label), entries: &entries });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(&label),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: parameters as u32,
            });
            let raw = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(&pipeline_layout),
                module: &self.raw,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &[],
                    zero_initialize_workgroup_memory: self.context.trust == Trust::Checked,
                },
                cache: None,
            });
            (raw, layout)
        })?;
        Ok(Kernel { id: self.context.id(), label, raw, layout, bindings: access.len(), parameters, group: self.group })
    }
}

fn layout_entry((binding, access): (u32, &Access)) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: *access == Access::Read },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
