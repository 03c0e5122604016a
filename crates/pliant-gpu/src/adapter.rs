//! Which GPUs there are, and which one to take.

use crate::error::GpuError;
use crate::kernel::MAX_BINDINGS;

/// Bytes of parameters a kernel may have.
pub(crate) const MAX_PARAMETERS: u32 = 128;

/// What an adapter is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A graphics card.
    Discrete,
    /// In the processor, sharing its memory.
    Integrated,
    /// A GPU seen through a hypervisor.
    Virtual,
    /// The driver does not say.
    Other,
    /// A rasteriser on the processor, such as lavapipe.
    Software,
}

impl Kind {
    /// Whether real hardware does the work, as far as the driver says.
    pub fn is_hardware(self) -> bool {
        matches!(self, Self::Discrete | Self::Integrated | Self::Virtual)
    }
}

/// What is known of an adapter before it is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterInfo {
    /// Name that the driver gives.
    pub name: String,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// Driver and its version.
    pub driver: String,
    /// Hardware or software.
    pub kind: Kind,
    /// Largest buffer, bytes.
    pub max_buffer_size: u64,
    /// Largest part of a buffer a kernel can see, bytes.
    pub max_storage_binding_size: u64,
    /// Storage buffers a kernel can see.
    pub max_storage_buffers: u32,
    /// Memory of a workgroup, bytes.
    pub max_workgroup_storage: u32,
    /// Invocations in a workgroup.
    pub max_invocations: u32,
    /// Smallest and largest subgroup. Kernels assume neither.
    pub subgroup_sizes: [u32; 2],
    /// Whether GPU time can be measured.
    pub timestamps: bool,
    /// Whether kernels can take parameters without a buffer; required.
    pub immediates: bool,
}

impl AdapterInfo {
    /// What every kernel needs and this adapter does not have, if anything.
    pub fn lacks(&self) -> Option<String> {
        if !self.immediates {
            return Some(format!("{MAX_PARAMETERS} bytes of immediates"));
        }
        let few = self.max_storage_buffers < MAX_BINDINGS as u32;
        few.then(|| format!("{MAX_BINDINGS} storage buffers per kernel (it has {})", self.max_storage_buffers))
    }

    /// Largest buffer that a kernel can see whole, bytes.
    pub fn largest_buffer(&self) -> u64 {
        self.max_buffer_size.min(self.max_storage_binding_size)
    }
}

/// Which adapter to take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The best hardware; never software.
    Auto,
    /// The best there is, software last.
    Any,
    /// The best whose name contains this, in upper or lower case.
    Named(String),
}

/// All adapters of this machine, best kind first.
pub fn adapters() -> Vec<AdapterInfo> {
    enumerate().into_iter().map(|(info, _)| info).collect()
}

fn enumerate() -> Vec<(AdapterInfo, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let mut all: Vec<_> = found.into_iter().map(|adapter| (describe(&adapter), adapter)).collect();
    all.sort_by_key(|(info, _)| info.kind);
    all
}

fn describe(adapter: &wgpu::Adapter) -> AdapterInfo {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    AdapterInfo {
        name: info.name,
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
            wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
            wgpu::DeviceType::VirtualGpu => Kind::Virtual,
            wgpu::DeviceType::Other => Kind::Other,
            wgpu::DeviceType::Cpu => Kind::Software,
        },
        max_buffer_size: limits.max_buffer_size,
        max_storage_binding_size: limits.max_storage_buffer_binding_size,
        max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
        max_workgroup_storage: limits.max_compute_workgroup_storage_size,
        max_invocations: limits.max_compute_invocations_per_workgroup,
        subgroup_sizes: [info.subgroup_min_size, info.subgroup_max_size],
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        immediates: features.contains(wgpu::Features::IMMEDIATES) && limits.max_immediate_size >= MAX_PARAMETERS,
    }
}

/// The adapter that `choice` means, among those of [`adapters`].
pub fn chosen<'a>(choice: &Choice, all: &'a [AdapterInfo]) -> Result<&'a AdapterInfo, GpuError> {
    let info = &all[pick(choice, all)?];
    match info.lacks() {
        Some(lacks) => Err(GpuError::Unfit { name: info.name.clone(), lacks }),
        None => Ok(info),
    }
}

/// The adapter that `choice` means.
pub(crate) fn choose(choice: &Choice) -> Result<(AdapterInfo, wgpu::Adapter), GpuError> {
    let all = enumerate();
    let infos: Vec<AdapterInfo> = all.iter().map(|(info, _)| info.clone()).collect();
    let chosen = chosen(choice, &infos)?;
    let found = all.into_iter().find(|(info, _)| info == chosen);
    found.ok_or(GpuError::NoAdapter { software: Vec::new() })
}

/// Index of the adapter that `choice` means, among adapters sorted best first. One that can run the kernels comes
/// before one that cannot.
fn pick(choice: &Choice, all: &[AdapterInfo]) -> Result<usize, GpuError> {
    let names = |keep: &dyn Fn(&AdapterInfo) -> bool| all.iter().filter(|a| keep(a)).map(|a| a.name.clone()).collect();
    let wanted = |info: &AdapterInfo| match choice {
        Choice::Auto => info.kind.is_hardware(),
        Choice::Any => true,
        Choice::Named(name) => info.name.to_lowercase().contains(&name.to_lowercase()),
    };
    let first = |usable: bool| all.iter().position(|info| wanted(info) && (!usable || info.lacks().is_none()));
    first(true).or_else(|| first(false)).ok_or_else(|| match choice {
        Choice::Named(name) => GpuError::NotFound { name: name.clone(), there: names(&|_| true) },
        _ => GpuError::NoAdapter { software: names(&|info| !info.kind.is_hardware()) },
    })
}

/// Opens an adapter with the limits that kernels and large meshes need.
pub(crate) fn open(info: &AdapterInfo, adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), GpuError> {
    let theirs = adapter.limits();
    let limits = wgpu::Limits {
        max_buffer_size: theirs.max_buffer_size,
        max_storage_buffer_binding_size: theirs.max_storage_buffer_binding_size,
        max_storage_buffers_per_shader_stage: theirs.max_storage_buffers_per_shader_stage,
        max_buffers_and_acceleration_structures_per_shader_stage: theirs
            .max_buffers_and_acceleration_structures_per_shader_stage,
        max_compute_workgroup_storage_size: theirs.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: theirs.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: theirs.max_compute_workgroup_size_x,
        max_immediate_size: MAX_PARAMETERS,
        ..wgpu::Limits::downlevel_defaults()
    };
    let optional = wgpu::Features::TIMESTAMP_QUERY;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("pliant"),
        required_features: wgpu::Features::IMMEDIATES | (adapter.features() & optional),
        required_limits: limits,
        memory_hints: wgpu::MemoryHints::Performance,
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor))
        .map_err(|error| GpuError::Open { name: info.name.clone(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, kind: Kind) -> AdapterInfo {
        AdapterInfo {
            name: name.into(),
            backend: "vulkan".into(),
            driver: String::new(),
            kind,
            max_buffer_size: 1 << 30,
            max_storage_binding_size: 1 << 30,
            max_storage_buffers: 16,
            max_workgroup_storage: 1 << 14,
            max_invocations: 256,
            subgroup_sizes: [32, 32],
            timestamps: true,
            immediates: true,
        }
    }

    #[test]
    fn auto_takes_hardware_only_and_any_takes_the_best() {
        let software = [info("llvmpipe", Kind::Software)];
        assert_eq!(pick(&Choice::Any, &software), Ok(0));
        let refused = pick(&Choice::Auto, &software).unwrap_err();
        assert_eq!(refused, GpuError::NoAdapter { software: vec!["llvmpipe".into()] });
        let said = refused.on("auto".into()).to_string();
        assert!(said.contains("llvmpipe") && said.contains("--device cpu"), "{said}");
        let both = [info("Card", Kind::Discrete), info("Chip", Kind::Integrated), info("llvmpipe", Kind::Software)];
        assert_eq!(pick(&Choice::Auto, &both), Ok(0));
        assert_eq!(pick(&Choice::Named("CHIP".into()), &both), Ok(1));
        assert_eq!(pick(&Choice::Auto, &[]), Err(GpuError::NoAdapter { software: Vec::new() }));
        assert!(
            Kind::Virtual < Kind::Software && Kind::Discrete < Kind::Integrated && Kind::Integrated < Kind::Virtual
        );
    }

    #[test]
    fn an_adapter_that_cannot_run_the_kernels_comes_last() {
        let old = AdapterInfo { immediates: false, ..info("Old card", Kind::Discrete) };
        assert_eq!(pick(&Choice::Auto, &[old.clone(), info("Chip", Kind::Integrated)]), Ok(1));
        let error = chosen(&Choice::Auto, &[old]).unwrap_err().to_string();
        assert!(error.contains("Old card") && error.contains("immediates"), "{error}");
        let few = AdapterInfo { max_storage_buffers: 8, ..info("Phone", Kind::Integrated) };
        let error = chosen(&Choice::Any, &[few]).unwrap_err().to_string();
        assert!(error.contains("Phone") && error.contains("16 storage buffers"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_names_there_are() {
        let there = [info("Card", Kind::Discrete), info("llvmpipe", Kind::Software)];
        let error = pick(&Choice::Named("Voodoo".into()), &there).unwrap_err();
        assert_eq!(error.to_string(), "no GPU is called \"Voodoo\", there are: Card, llvmpipe");
        let none = pick(&Choice::Named("Voodoo".into()), &[]).unwrap_err().on("gpu:Voodoo".into()).to_string();
        assert!(none.contains("none was found") && none.contains("Vulkan driver"), "{none}");
    }
}
