//! Colourings on the GPU are those of the CPU, colour for colour and round for round.

use super::{BOTH, gpu};
use crate::{Gpu, GpuColouring, GpuError, Trust};
use pliant::colouring::{Algorithm, Colouring, Graph, Recoloured, greedy, mesh_graph, recolour};
use pliant::mesh::generate::{grid, solid_box};
use pliant::mesh::topology::{Incidence, adjacency};
use pliant::scene::Triangulation;

const PARALLEL: [Algorithm; 4] =
    [Algorithm::Vivace, Algorithm::Luby, Algorithm::JonesPlassmann, Algorithm::LargestDegreeFirst];

/// Repeatable numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % end as u64) as u32
    }

    fn edges(&mut self, n: usize, count: usize) -> Vec<[u32; 2]> {
        (0..count).map(|_| [self.below(n), self.below(n)]).collect()
    }
}

fn clique(n: u32) -> Vec<[u32; 2]> {
    (0..n).flat_map(|a| (0..a).map(move |b| [a, b])).collect()
}

fn sheet(side: usize, triangulation: Triangulation) -> Graph {
    mesh_graph(&grid([1.0, 1.0], [side, side], triangulation).unwrap())
}

/// Graphs of all sizes and kinds, with names.
fn graphs() -> Vec<(String, Graph)> {
    let mut numbers = Numbers(5);
    let mut all = vec![("nothing at all".to_string(), Graph::default())];
    for n in [0usize, 1, 2, 63, 64, 65, 255, 256, 257] {
        all.push((format!("{n} alone"), adjacency(n, &[])));
        let path: Vec<[u32; 2]> = (1..n as u32).map(|v| [v - 1, v]).collect();
        all.push((format!("path of {n}"), adjacency(n, &path)));
        if n > 1 {
            for factor in [1, 4, 20] {
                all.push((format!("{n} with {factor} random edges each"), adjacency(n, &numbers.edges(n, factor * n))));
            }
        }
    }
    let star = |n: u32| adjacency(n as usize, &(1..n).map(|leaf| [0, leaf]).collect::<Vec<_>>());
    all.push(("star".to_string(), star(100)));
    all.push(("large star".to_string(), star(3000)));
    // More colours than a word has bits, more rounds than a chunk has.
    all.push(("clique of 90".to_string(), adjacency(90, &clique(90))));
    let cliques: Vec<[u32; 2]> =
        (0..40u32).flat_map(|c| clique(c % 9 + 1).into_iter().map(move |[a, b]| [10 * c + a, 10 * c + b])).collect();
    all.push(("cliques of 1 to 9 and vertices alone".to_string(), adjacency(400, &cliques)));
    let pairs = sheet(20, Triangulation::Uniform);
    let pairs = pairs
        .rows()
        .enumerate()
        .flat_map(|(v, row)| row.iter().copied().chain([v as u32]).map(move |n| (v as u32, n)).collect::<Vec<_>>());
    all.push(("every vertex its own neighbour".to_string(), Incidence::grouped(400, pairs)));
    all
}

/// Colours on the GPU, with the waits.
fn coloured(gpu: &mut Gpu, graph: &Graph, algorithm: Algorithm, seed: u32) -> (Colouring, usize) {
    let on_gpu = gpu.graph(graph).unwrap();
    let mut colouring = gpu.colouring(graph.len()).unwrap();
    gpu.colour(&on_gpu, algorithm, seed, &mut colouring).unwrap();
    let read = gpu.read_colouring(&colouring).unwrap();
    assert_eq!((read.count(), read.rounds), (colouring.count(), colouring.rounds()));
    (read, colouring.waits())
}

fn assert_same(gpu: &mut Gpu, name: &str, graph: &Graph, seeds: &[u32]) {
    for algorithm in PARALLEL {
        for &seed in seeds {
            let (found, _) = coloured(gpu, graph, algorithm, seed);
            assert!(found == algorithm.colour(graph, seed), "{algorithm:?} of {name}, seed {seed}");
            assert!(found.valid(graph), "{algorithm:?} of {name}, seed {seed}");
            assert!(found.count() <= graph.max_degree() + 1, "{algorithm:?} of {name}, seed {seed}");
        }
    }
}

#[test]
fn every_graph_gets_the_colours_of_the_cpu() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for (name, graph) in graphs() {
            assert_same(&mut gpu, &name, &graph, &[0, 1, 0xffff_ffff]);
        }
    }
}

#[test]
fn meshes_get_the_colours_of_the_cpu() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    assert_same(&mut gpu, "alternating sheet of 100,489", &sheet(317, Triangulation::Alternating), &[7]);
    assert_same(&mut gpu, "uniform sheet of 10,201", &sheet(101, Triangulation::Uniform), &[0, 3]);
    let tets = mesh_graph(&solid_box([1.0; 3], [12; 3]).unwrap());
    assert_same(&mut gpu, "box of tets", &tets, &[0, 3]);
}

#[test]
fn a_colouring_on_the_gpu_repeats_itself_and_seeds_differ() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graph = sheet(60, Triangulation::Alternating);
    for algorithm in PARALLEL {
        let mut of = |seed| coloured(&mut gpu, &graph, algorithm, seed).0;
        assert_eq!(of(4), of(4), "{algorithm:?}");
        assert_ne!(of(4).colour, of(5).colour, "{algorithm:?}");
    }
}

#[test]
fn a_mesh_that_was_coloured_before_takes_one_wait() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graph = sheet(101, Triangulation::Alternating);
    let on_gpu = gpu.graph(&graph).unwrap();
    for algorithm in PARALLEL {
        let mut colouring = gpu.colouring(graph.len()).unwrap();
        gpu.colour(&on_gpu, algorithm, 1, &mut colouring).unwrap();
        for _ in 0..2 {
            let [dispatches, submissions] = gpu.recorded();
            gpu.colour(&on_gpu, algorithm, 1, &mut colouring).unwrap();
            assert_eq!(colouring.waits(), 1, "{algorithm:?}");
            let [more, chunks] = gpu.recorded();
            let (more, rounds) = ((more - dispatches) as usize, colouring.rounds());
            assert!(more <= 2 * (rounds + 2) + 4, "{algorithm:?}: {more} dispatches for {rounds} rounds");
            assert!(chunks - submissions <= 8, "{algorithm:?}: {} submissions", chunks - submissions);
        }
        assert_eq!(gpu.read_colouring(&colouring).unwrap(), algorithm.colour(&graph, 1));
    }
}

#[test]
fn rounds_go_on_where_the_first_chunk_was_too_short() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graph = adjacency(150, &clique(150));
    for algorithm in PARALLEL {
        let (found, waits) = coloured(&mut gpu, &graph, algorithm, 2);
        assert_eq!(found, algorithm.colour(&graph, 2), "{algorithm:?}");
        assert!(waits > 1 && waits < 10, "{algorithm:?}: {waits} waits for {} rounds", found.rounds);
    }
}

#[test]
fn room_is_used_again_for_other_algorithms_and_other_graphs() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graphs = [sheet(30, Triangulation::Uniform), adjacency(70, &clique(70)), sheet(25, Triangulation::Alternating)];
    let mut on_gpu = gpu.graph(&graphs[0]).unwrap();
    let mut colouring = gpu.colouring(0).unwrap();
    for graph in graphs.iter().chain([&Graph::default(), &graphs[2]]) {
        gpu.update_graph(&mut on_gpu, graph).unwrap();
        assert_eq!(on_gpu.len(), graph.len());
        for algorithm in PARALLEL.into_iter().chain(PARALLEL) {
            gpu.colour(&on_gpu, algorithm, 8, &mut colouring).unwrap();
            assert_eq!(gpu.read_colouring(&colouring).unwrap(), algorithm.colour(graph, 8), "{algorithm:?}");
        }
    }
}

#[test]
fn what_is_sequential_or_too_large_is_refused() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graph = gpu.graph(&adjacency(3, &[[0, 1]])).unwrap();
    let mut colouring = gpu.colouring(3).unwrap();
    let refused = gpu.colour(&graph, Algorithm::Greedy, 0, &mut colouring).unwrap_err();
    assert_eq!(refused, GpuError::NoAlgorithm { algorithm: "greedy" });
    let said = refused.on("gpu".to_string()).to_string();
    assert!(said.contains("greedy") && said.contains("--device cpu"), "{said}");
    let outside = gpu.recolour(&graph, &mut colouring, &[3], 0).unwrap_err().to_string();
    assert!(outside.contains("vertex 3") && outside.contains("there are 3"), "{outside}");
    gpu.limit_buffers(1 << 10);
    assert!(matches!(gpu.colouring(10_000), Err(GpuError::TooLarge { .. })));
}

/// Recolours on both devices; both must do the same.
fn recoloured(
    gpu: &mut Gpu,
    on_gpu: &mut GpuColouring,
    graph: &Graph,
    cpu: &mut Colouring,
    touched: &[u32],
    seed: u32,
) -> Recoloured {
    let graph_on_gpu = gpu.graph(graph).unwrap();
    let done = gpu.recolour(&graph_on_gpu, on_gpu, touched, seed).unwrap();
    assert_eq!(done, recolour(graph, cpu, touched, seed));
    assert_eq!(gpu.read_colouring(on_gpu).unwrap(), *cpu);
    assert!(cpu.valid(graph));
    assert!(cpu.count() <= graph.max_degree() + 1);
    done
}

#[test]
fn edges_come_and_go_as_on_the_cpu() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        let mut numbers = Numbers(11);
        let mut seen = [0, 0, 0];
        for (n, degree) in [(5usize, 1), (40, 3), (64, 6), (65, 12), (300, 4), (1000, 2)] {
            let mut edges: Vec<[u32; 2]> = numbers.edges(n, degree * n);
            let start = adjacency(n, &edges);
            let mut cpu = PARALLEL[n % 4].colour(&start, 3);
            let mut on_gpu = gpu.colouring(n).unwrap();
            let graph = gpu.graph(&start).unwrap();
            gpu.colour(&graph, PARALLEL[n % 4], 3, &mut on_gpu).unwrap();
            for step in 0..12 {
                // Every fourth time so many that most vertices are wrong.
                let appear = numbers.edges(n, if step % 4 == 3 { 3 * n } else { step * n / 80 + 1 });
                let mut touched: Vec<u32> = appear.as_flattened().to_vec();
                for _ in 0..step.min(edges.len() / 2) {
                    touched.extend(edges.swap_remove(numbers.below(edges.len()) as usize));
                }
                edges.extend(appear);
                touched.extend_from_within(..touched.len() / 2);
                let graph = adjacency(n, &edges);
                match recoloured(&mut gpu, &mut on_gpu, &graph, &mut cpu, &touched, step as u32) {
                    Recoloured::Some(0) => seen[0] += 1,
                    Recoloured::Some(_) => seen[1] += 1,
                    Recoloured::All => seen[2] += 1,
                }
            }
        }
        assert!(seen.iter().all(|&times| times > 3), "{trust:?}: none, some, all changed {seen:?} times");
    }
}

#[test]
fn contacts_on_a_cloth_are_recoloured_with_one_wait() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let mesh = grid([1.0, 1.0], [101, 101], Triangulation::Alternating).unwrap();
    let (n, cloth) = (mesh.points.len(), pliant::mesh::topology::edges(&mesh));
    let mut numbers = Numbers(2);
    let start = adjacency(n, &cloth);
    let mut cpu = Algorithm::Vivace.colour(&start, 0);
    let mut on_gpu = gpu.colouring(n).unwrap();
    gpu.write_colouring(&cpu, &mut on_gpu).unwrap();
    let mut before: Vec<[u32; 2]> = Vec::new();
    for frame in 0..6 {
        let contacts = numbers.edges(n, 300);
        let touched: Vec<u32> = before.as_flattened().iter().chain(contacts.as_flattened()).copied().collect();
        let graph = adjacency(n, &[&cloth[..], &contacts].concat());
        let done = recoloured(&mut gpu, &mut on_gpu, &graph, &mut cpu, &touched, frame);
        assert!(matches!(done, Recoloured::Some(changed) if changed > 10), "{done:?}");
        assert_eq!(on_gpu.waits(), 1);
        before = contacts;
    }
}

#[test]
fn recolouring_starts_afresh_where_the_cpu_does() {
    let Some(mut gpu) = gpu(Trust::default()) else { return };
    let graph = sheet(20, Triangulation::Uniform);
    let n = graph.len();
    let all: Vec<u32> = (0..n as u32).collect();
    // Too many wrong; another number of vertices; a colour without vertices; colours that no such graph needs.
    let mut gap = greedy(&graph).colour;
    gap.iter_mut().for_each(|c| *c += u32::from(*c > 1));
    let mut beyond = greedy(&graph).colour;
    beyond[7] = 5000;
    let cases = [
        (vec![0; n], &all[..], Recoloured::All),
        (vec![0; n - 1], &[], Recoloured::All),
        (vec![], &[], Recoloured::All),
        (gap, &[0], Recoloured::All),
        (beyond.clone(), &[0], Recoloured::All),
        (beyond, &[7], Recoloured::Some(1)),
        (greedy(&graph).colour, &all, Recoloured::Some(0)),
    ];
    for (colours, touched, expected) in cases {
        let mut cpu = Colouring::new(colours, 1);
        let mut on_gpu = gpu.colouring(3).unwrap();
        gpu.write_colouring(&cpu, &mut on_gpu).unwrap();
        assert_eq!(gpu.read_colouring(&on_gpu).unwrap(), cpu);
        assert_eq!(recoloured(&mut gpu, &mut on_gpu, &graph, &mut cpu, touched, 6), expected);
    }
    // A quarter of all may be wrong, one more may not.
    let pairs = adjacency(400, &(0..200).map(|k| [2 * k, 2 * k + 1]).collect::<Vec<_>>());
    for (wrong, expected) in [(100, Recoloured::Some(100)), (101, Recoloured::All)] {
        let touched: Vec<u32> = (0..2 * wrong).collect();
        let mut cpu = Colouring::new((0..400).map(|v| u32::from(v >= 2 * wrong && v % 2 == 1)).collect(), 1);
        let mut on_gpu = gpu.colouring(400).unwrap();
        gpu.write_colouring(&cpu, &mut on_gpu).unwrap();
        assert_eq!(recoloured(&mut gpu, &mut on_gpu, &pairs, &mut cpu, &touched, 6), expected);
    }
    let mut on_gpu = gpu.colouring(0).unwrap();
    let nothing = &mut Colouring::default();
    assert_eq!(recoloured(&mut gpu, &mut on_gpu, &Graph::default(), nothing, &[], 0), Recoloured::Some(0));
}
