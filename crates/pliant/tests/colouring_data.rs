//! Colourings of the meshes of the data folder.

mod common;

use pliant::colouring::{Algorithm, Graph, mesh_graph};
use pliant::mesh;

/// Name and graph of every good mesh; of several formats of a solid, one.
fn graphs() -> Vec<(String, Graph)> {
    let Some(folder) = common::data_folder() else { return Vec::new() };
    let mut found = Vec::new();
    for (sub_folder, extension) in [("surface", "obj"), ("tet", "msh")] {
        for entry in std::fs::read_dir(folder.join(sub_folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            if name.ends_with(extension) && !name.ends_with(".v41.msh") {
                found.push((name, mesh_graph(&mesh::read(&path).unwrap())));
            }
        }
    }
    assert!(found.len() >= 40, "{} meshes", found.len());
    found
}

#[test]
fn every_algorithm_colours_every_mesh_and_repeats_itself() {
    for (name, graph) in graphs() {
        for algorithm in Algorithm::ALL {
            let colouring = algorithm.colour(&graph, 3);
            assert!(colouring.valid(&graph), "{name}: {algorithm:?}");
            assert!(colouring.count() <= graph.max_degree() + 1, "{name}: {algorithm:?}");
            assert!(colouring.balance().is_finite(), "{name}: {algorithm:?} left a colour empty");
            assert_eq!(algorithm.colour(&graph, 3), colouring, "{name}: {algorithm:?}");
        }
    }
}

#[test]
fn vivace_needs_at_most_two_colours_more_than_the_best() {
    for (name, graph) in graphs() {
        for seed in 0..10 {
            let counts = Algorithm::ALL.map(|algorithm| algorithm.colour(&graph, seed).count());
            let best = counts.into_iter().min().unwrap();
            let found = Algorithm::Vivace.colour(&graph, seed).count();
            assert!(found <= best + 2, "{name}, seed {seed}: {counts:?} by {:?}", Algorithm::ALL);
        }
    }
}
