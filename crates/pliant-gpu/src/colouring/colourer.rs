use super::{GpuColouring, GpuGraph};
use crate::devices::AllDevices;
use crate::error::GpuError;
use crate::gpu::Gpu;
use pliant::colouring::{Algorithm, Colouring, Graph, Recoloured, recolour};
use pliant::device::{Device, DeviceError};
use pliant::scene::{DeviceSettings, Precision};

/// Colours a graph on the device that was asked for: `cpu`, `gpu`, `gpu:NAME`, or `auto`, which is a hardware GPU if there
/// is one and else the CPU, and which goes on on the CPU where a GPU fails.
#[derive(Debug)]
pub struct Colourer<'a> {
    graph: &'a Graph,
    gpu: Option<Box<OnGpu>>,
    is_auto: bool,
    /// What the CPU has found last.
    found: Colouring,
}

#[derive(Debug)]
struct OnGpu {
    gpu: Gpu,
    graph: GpuGraph,
    colouring: GpuColouring,
    /// Algorithm and seed of the last colouring, if the GPU made it.
    last: Option<(Algorithm, u32)>,
}

impl OnGpu {
    fn new(mut gpu: Gpu, graph: &Graph) -> Result<Box<Self>, GpuError> {
        let (graph, colouring) = (gpu.graph(graph)?, gpu.colouring(graph.len())?);
        gpu.finish()?;
        Ok(Box::new(Self { gpu, graph, colouring, last: None }))
    }

    fn colour(&mut self, algorithm: Algorithm, seed: u32) -> Result<(), DeviceError> {
        let done = self.gpu.colour(&self.graph, algorithm, seed, &mut self.colouring);
        self.last = Some((algorithm, seed));
        done.map_err(|error| error.on(self.gpu.name()))
    }
}

impl<'a> Colourer<'a> {
    /// Opens the device and brings the graph there.
    pub fn new(device: &str, graph: &'a Graph) -> Result<Self, DeviceError> {
        let is_auto = device == "auto";
        let mut colourer = Self { graph, gpu: None, is_auto, found: Colouring::default() };
        let settings = DeviceSettings { name: device.to_string(), precision: Precision::F32 };
        if let Some(gpu) = AllDevices::open(&settings)? {
            let name = gpu.name();
            match OnGpu::new(gpu, graph) {
                Ok(gpu) => colourer.gpu = Some(gpu),
                Err(error) => colourer.leave(error.on(name))?,
            }
        }
        Ok(colourer)
    }

    /// The device, as other reports name it.
    pub fn device(&self) -> String {
        self.gpu.as_ref().map_or("cpu".to_string(), |on| on.gpu.name())
    }

    /// Where an algorithm runs: `greedy` is sequential and stays on the CPU.
    pub fn device_of(&self, algorithm: Algorithm) -> String {
        if is_on_cpu(algorithm) { "cpu".to_string() } else { self.device() }
    }

    /// Colours the graph; the colours stay on the device. `greedy` is refused by a GPU that was asked for.
    pub fn colour(&mut self, algorithm: Algorithm, seed: u32) -> Result<(), DeviceError> {
        if let Some(on) = self.gpu.as_mut().filter(|_| !(self.is_auto && is_on_cpu(algorithm))) {
            match on.colour(algorithm, seed) {
                Ok(()) => return Ok(()),
                Err(error) => self.leave(error)?,
            }
        }
        if let Some(on) = &mut self.gpu {
            on.last = None;
        }
        self.found = algorithm.colour(self.graph, seed);
        Ok(())
    }

    /// The same, and how long a GPU worked on it, s; `None` on the CPU and where the GPU cannot measure that.
    pub fn colour_timed(&mut self, algorithm: Algorithm, seed: u32) -> Result<Option<f64>, DeviceError> {
        let Some(OnGpu { gpu, graph, colouring, last }) = self.gpu.as_deref_mut().filter(|_| !is_on_cpu(algorithm))
        else {
            return self.colour(algorithm, seed).map(|()| None);
        };
        *last = Some((algorithm, seed));
        let timed = gpu.timed(|gpu| gpu.colour(graph, algorithm, seed, colouring));
        let timed = timed.and_then(|(done, seconds)| done.map(|()| seconds));
        timed.map_err(|error| error.on(gpu.name()))
    }

    /// Takes another graph with as many vertices, whose colours [`Colourer::recolour`] mends.
    pub fn change_graph(&mut self, graph: &'a Graph) -> Result<(), DeviceError> {
        self.graph = graph;
        let Some(on) = &mut self.gpu else { return Ok(()) };
        let done = on.gpu.update_graph(&mut on.graph, graph).and_then(|()| on.gpu.finish());
        done.map_err(|error| error.on(on.gpu.name())).or_else(|error| self.leave(error))
    }

    /// Makes the last colouring valid again after the graph has changed: [`pliant::colouring::recolour`].
    pub fn recolour(&mut self, touched: &[u32], seed: u32) -> Result<Recoloured, DeviceError> {
        let Some(on) = self.gpu.as_mut().filter(|on| on.last.is_some()) else {
            return Ok(recolour(self.graph, &mut self.found, touched, seed));
        };
        match on.gpu.recolour(&on.graph, &mut on.colouring, touched, seed) {
            Ok(done) => Ok(done),
            Err(error) => {
                let error = error.on(on.gpu.name());
                self.leave(error)?;
                self.colour(Algorithm::Vivace, seed).map(|()| Recoloured::All)
            }
        }
    }

    /// What was found last.
    pub fn colouring(&mut self) -> Result<Colouring, DeviceError> {
        if let Some(on) = &mut self.gpu
            && let Some((algorithm, seed)) = on.last
        {
            match on.gpu.read_colouring(&on.colouring) {
                Ok(found) => return Ok(found),
                Err(error) => {
                    let error = error.on(on.gpu.name());
                    self.leave(error)?;
                    self.colour(algorithm, seed)?;
                }
            }
        }
        Ok(self.found.clone())
    }

    /// How often the host waited for a GPU during the last colouring; `None` if that was on the CPU.
    pub fn waits(&self) -> Option<usize> {
        self.gpu.as_ref().filter(|on| on.last.is_some()).map(|on| on.colouring.waits())
    }

    /// Goes on on the CPU, if the device was not named.
    fn leave(&mut self, error: DeviceError) -> Result<(), DeviceError> {
        if !self.is_auto {
            return Err(error);
        }
        tracing::warn!("{error}; going on on the CPU");
        self.gpu = None;
        Ok(())
    }
}

/// Sequential first fit has nothing for a GPU to do.
fn is_on_cpu(algorithm: Algorithm) -> bool {
    algorithm == Algorithm::Greedy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gpu;
    use crate::{GpuError, Trust};
    use pliant::mesh::topology::adjacency;

    fn on_gpu<'a>(gpu: Gpu, graph: &'a Graph, is_auto: bool) -> Colourer<'a> {
        let found = Colouring::default();
        Colourer { graph, gpu: Some(OnGpu::new(gpu, graph).unwrap()), is_auto, found }
    }

    #[test]
    fn a_gpu_that_is_lost_is_left_unless_it_was_asked_for() {
        let graph = adjacency(100, &(1..100).map(|v| [v - 1, v]).collect::<Vec<_>>());
        for is_auto in [true, false] {
            for read_before in [true, false] {
                let Some(gpu) = gpu(Trust::default()) else { return };
                let pull = gpu.puller();
                let mut colourer = on_gpu(gpu, &graph, is_auto);
                colourer.colour(Algorithm::Vivace, 5).unwrap();
                assert!(colourer.device().starts_with("gpu: ") && colourer.waits().is_some());
                pull();
                let done =
                    if read_before { colourer.colouring().map(|_| ()) } else { colourer.colour(Algorithm::Luby, 5) };
                if is_auto {
                    done.unwrap();
                    let algorithm = if read_before { Algorithm::Vivace } else { Algorithm::Luby };
                    assert_eq!(colourer.colouring().unwrap(), algorithm.colour(&graph, 5));
                    assert_eq!((colourer.device().as_str(), colourer.waits()), ("cpu", None));
                } else {
                    assert!(matches!(done, Err(DeviceError::Failed { .. })), "{done:?}");
                }
            }
        }
    }

    #[test]
    fn greedy_is_done_by_the_cpu_unless_the_gpu_was_asked_for() {
        let Some(gpu) = gpu(Trust::default()) else { return };
        let graph = adjacency(3, &[[0, 1]]);
        let mut colourer = on_gpu(gpu, &graph, true);
        colourer.colour(Algorithm::Vivace, 0).unwrap();
        colourer.colour(Algorithm::Greedy, 0).unwrap();
        assert_eq!(colourer.colouring().unwrap(), Algorithm::Greedy.colour(&graph, 0));
        assert_eq!((colourer.device_of(Algorithm::Greedy).as_str(), colourer.waits()), ("cpu", None));
        colourer.is_auto = false;
        assert!(matches!(colourer.colour(Algorithm::Greedy, 0), Err(DeviceError::Unsupported { .. })));
        let refused = GpuError::NoAlgorithm { algorithm: "greedy" };
        assert_eq!(refused.to_string(), "greedy is sequential");
    }
}
