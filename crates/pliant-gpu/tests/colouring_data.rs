//! Colourings of the meshes of the data folder: a GPU finds those of the CPU.

#[path = "../../pliant/tests/common/mod.rs"]
mod common;
mod required;

use pliant::colouring::{Algorithm, mesh_graph};
use pliant::mesh;
use pliant_gpu::{Choice, Gpu, GpuError};

#[test]
fn every_mesh_gets_the_colours_of_the_cpu() {
    let Some(folder) = common::data_folder() else { return };
    let mut gpu = match Gpu::open(&Choice::Any) {
        Ok(gpu) => gpu,
        Err(GpuError::NoAdapter { .. }) if required::skip_without_gpu(false) => return,
        Err(error) => panic!("{error}"),
    };
    let mut colouring = gpu.colouring(0).unwrap();
    let mut seen = 0;
    for (sub_folder, extension) in [("surface", "obj"), ("tet", "msh")] {
        for entry in std::fs::read_dir(folder.join(sub_folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(extension) || name.ends_with(".v41.msh") {
                continue;
            }
            let graph = mesh_graph(&mesh::read(&path).unwrap());
            let on_gpu = gpu.graph(&graph).unwrap();
            for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| *algorithm != Algorithm::Greedy) {
                gpu.colour(&on_gpu, algorithm, 3, &mut colouring).unwrap();
                let found = gpu.read_colouring(&colouring).unwrap();
                assert!(found.valid(&graph), "{name}: {algorithm:?}");
                assert_eq!(found, algorithm.colour(&graph, 3), "{name}: {algorithm:?}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 40, "{seen} meshes");
}
