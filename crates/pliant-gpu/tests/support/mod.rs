//! Runs one WGSL module on given numbers, on every adapter there is.
#![allow(non_snake_case)]

pub mod colliders;
pub mod contacts;
pub mod elements;
pub mod isotropic;
pub mod random;
pub mod rotations;
pub mod touches;

/// An adapter with a device of its own.
pub struct Gpu {
    pub name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    /// All adapters. None at all is an error where `CI` or `PLIANT_REQUIRE_GPU` is set; elsewhere it is printed, and
    /// the caller has nothing to do.
    pub fn all() -> Vec<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let out: Vec<Self> = adapters.iter().filter_map(Self::open).collect();
        crate::required::skip_without_gpu(!out.is_empty());
        out
    }

    fn open(adapter: &wgpu::Adapter) -> Option<Self> {
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .ok()?;
        Some(Self { name: adapter.get_info().name, device, queue })
    }

    /// Runs `main` of the module for at least `threads` threads in groups of 64. Inputs are bindings 0, 1, ... of group
    /// 0, read-only storage; the result, `count` numbers, is the binding after them.
    pub fn run(&self, source: &str, inputs: &[&[f32]], count: usize, threads: usize) -> Vec<f32> {
        parse(source);
        let buffer = |bytes: u64, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let mut buffers = Vec::new();
        for input in inputs {
            let storage =
                buffer(size_of_val(*input) as u64, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST);
            self.queue.write_buffer(&storage, 0, bytemuck::cast_slice(input));
            buffers.push(storage);
        }
        let bytes = 4 * count as u64;
        buffers.push(buffer(bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC));
        let back = buffer(bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);

        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(threads.div_ceil(64) as u32, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&buffers[inputs.len()], 0, &back, 0, bytes);
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the result can be mapped"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the GPU finishes");
        let view = back.get_mapped_range(..).expect("the result is mapped");
        bytemuck::cast_slice(&view).to_vec()
    }
}

/// A module as it is, and with square roots as wrong as Vulkan allows (2 ulp for inverseSqrt, its reciprocal for sqrt),
/// up or down by the last bit of the argument: what holds for both, holds on GPUs that are less exact than this one.
pub fn as_written_and_sloppy(source: &str) -> [String; 2] {
    let sloppy = source
        .replace("inverseSqrt(", "sloppy_inverse(")
        .replace("sqrt(", "sloppy_root(")
        .replace("length(", "sloppy_length(");
    let roots = "
fn sloppy_inverse(v: f32) -> f32 {
    return inverseSqrt(v) * select(1.0 - 2.4e-7, 1.0 + 2.4e-7, (bitcast<u32>(v) & 1u) == 1u);
}
fn sloppy_root(v: f32) -> f32 {
    return select(0.0, 1.0 / sloppy_inverse(v), v > 0.0);
}
fn sloppy_length(v: vec3<f32>) -> f32 {
    return sloppy_root(dot(v, v));
}
";
    [source.to_owned(), sloppy + roots]
}

/// Parses and validates a module; panics with naga's message if it is wrong.
pub fn parse(source: &str) {
    let module = wgpu::naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let mut validator =
        wgpu::naga::valid::Validator::new(wgpu::naga::valid::ValidationFlags::all(), Default::default());
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
}
