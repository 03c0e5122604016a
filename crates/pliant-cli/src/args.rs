//! What was typed.

mod material;
mod tune;

pub use material::{CurveArgs, MaterialCommand};
pub use tune::TuneArgs;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use pliant::colouring::Algorithm;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

const AFTER: &str = "\
Examples:
  pliant run scenes/tablecloth.toml
  pliant run scenes/drape.toml --method pd-direct --frames 60 --out /tmp/drape
  pliant view scenes/tablecloth.toml
  pliant compare scenes/hanging.toml --methods pd-jacobi,pd-jacobi-chebyshev,newton
  pliant tune scenes/squash-recover.toml
  pliant material curve neo-hookean stvk

Exit codes: 0 done, 2 bad usage or input, 3 the simulation could not go on (state and report are saved) or the disk is full
(frames and the last checkpoint are good), 4 a device failed, 130 interrupted (state saved).
PLIANT_LOG=debug shows more of what happens inside; RAYON_NUM_THREADS sets the number of threads.";

const RUN_AFTER: &str = "\
Examples:
  pliant run scenes/tablecloth.toml
  pliant run scenes/tablecloth.toml --set cloth.resolution=201 --set cloth.material=silk
  pliant run scenes/drape.toml --method pd-direct --format obj,vtu --preview drape.gif
  pliant run scenes/drape.toml --resume          goes on where a run was stopped or killed
  pliant run scenes/hanging.toml --json | jq .state_hash

The output folder gets animation.glb (Blender, any glTF viewer), preview.png and preview.gif, report.json, and
checkpoint and frames.bin, from which --resume goes on to the same bits. Without --resume a run that lies there is replaced,
and stderr says which; other files stay, and a file that only has the name of a run's is refused, not replaced.
Ctrl-C finishes the step and saves; a second one ends at once and says what is not saved.";

const COMPARE_AFTER: &str = "\
Examples:
  pliant compare scenes/hanging.toml --methods pd-jacobi,pd-jacobi-chebyshev,pd-direct
  pliant compare scenes/hanging.toml --methods all --frame 20 --iterations 100 --json

The scene is simulated up to the frame with its own method; then every method solves the same next step. Errors are
(E - E*) / (E0 - E*), with E* by Newton's method. The output folder gets compare.json, compare.csv, and plots over
iterations and over time (SVG and PNG).";

const DEVICES_AFTER: &str = "\
Examples:
  pliant devices                                     the CPU, every GPU, and what --device auto and gpu take
  pliant devices --json | jq -r '.devices[].name'
  pliant run scenes/drape.toml --device gpu:rtx      any part of a name, upper or lower case

A GPU needs a Vulkan, Metal or Direct3D 12 driver; on a headless NVIDIA host see scripts/headless-nvidia.sh. Software
adapters such as llvmpipe are slower than the CPU: auto never takes one. Exit code 4: a device that was asked for is not
there, was lost or ran out of memory.";

const SELFTEST_AFTER: &str = "\
Examples:
  pliant selftest
  pliant selftest --device gpu --large
  pliant selftest --device gpu:RTX --json | jq .passed

A line per operation or method, with the model where it came nearest to its bound; --verbose shows all models. Errors
and bounds are relative to the numbers that make an answer: what rounding can explain passes, more does not. Exits with
4 if a check fails, and if the device is missing or fails.";

/// Simulates cloth and soft solids, and says how good each answer is.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, after_help = AFTER, max_term_width = 100, arg_required_else_help = true)]
pub struct Args {
    /// Print one JSON object on stdout, and nothing else there; what goes wrong is in its "error"
    #[arg(long, global = true)]
    pub json: bool,
    /// Say more: more lines of progress where there is no terminal, and notes
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write frames, pictures and a report
    Run(RunArgs),
    /// Open a page on which the scene is simulated while you pull at it
    View(ViewArgs),
    /// Validate a scene: meshes, pins, intersections at the start; simulates nothing
    #[command(after_help = "Example:\n  pliant check scenes/drape.toml\n\nExits with 2 if the scene cannot run.")]
    Check(SceneArgs),
    /// Compare methods on one step: error against iterations and time
    Compare(CompareArgs),
    /// Find the best rho for a scene, and phases of it, by trial
    Tune(TuneArgs),
    /// List the methods
    #[command(after_help = "Example:\n  pliant methods")]
    Methods,
    /// List the devices of this machine
    #[command(after_help = DEVICES_AFTER)]
    Devices,
    /// Find out whether a device computes right: every operation that solvers use and whole steps, against the CPU in f64
    Selftest(SelftestArgs),
    /// Time the papers' tables on this machine, beside the papers' numbers
    Bench(BenchArgs),
    /// Look at, check, convert and colour mesh files
    #[command(subcommand)]
    Mesh(MeshCommand),
    /// Look at materials
    #[command(subcommand)]
    Material(MaterialCommand),
}

const BENCH_AFTER: &str = "\
Examples:
  pliant bench pd
  pliant bench pd --device gpu --large --json
  pliant bench pd --device gpu --budget-ms 5 --steps 1000
  pliant bench descent --device gpu
  pliant bench colouring --device gpu --large

pd: steps of the course's scenes (SIGGRAPH course on projective dynamics, GTX 970) with pd-jacobi-chebyshev, timed from
the call to the certificate, and iterations alone beside the time to stream the bytes they move at least. Every timing
starts with a second of work, because idle processors are slow. With --budget-ms steps have a deadline instead of a number
of iterations: the table shows how many they made, how many steps were later than 1.05 deadlines, and the means of |grad E|
and of E/E0, the energy of a solution over that where its solve began, without the first 20 steps. The armadillo is read from
tet/ in the folder of the variable PLIANT_DATA, else in ../shared/data; without it a box of as many tets is timed instead.

descent: steps of the solids of course section 3 (GTX Titan X), neo-Hookean, with 96 iterations of descent; and an iteration
alone, how much of it is the evaluation of forces, and the time to stream the bytes that this moves at least. The armadillo is
read from where pd reads it; without it a generated creature of as many tets is timed. --budget-ms means nothing here.

colouring: every way to colour the vertices of cloths and solids, on the device and on the CPU, and recolouring where one
vertex in 20 has another contact than before. ms: the shortest, with the graph on the device, where the colours stay;
GPU ms: how much of that the GPU works; waits: how often the host waits for it. --steps,
--budget-ms and --error mean nothing here.";

/// `pliant bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = BENCH_AFTER)]
pub struct BenchArgs {
    /// Which table
    #[arg(value_parser = ["pd", "descent", "colouring"], default_value = "pd")]
    pub name: String,
    /// Where to compute: auto, cpu, gpu or gpu:NAME
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub device: String,
    /// Only scenes and meshes whose name contains this; the whole name of a large one stands for --large
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Steps to time for each scene
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub steps: u64,
    /// Meshes of a million vertices and tets, too
    #[arg(long)]
    pub large: bool,
    /// Work before each timing, s
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds, allow_negative_numbers = true)]
    pub warm: f64,
    /// Deadline per step, ms, instead of a number of iterations
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true)]
    pub budget_ms: Option<f64>,
    /// Solve one more step by the reference, too, and show its relative error (pd, descent; takes seconds to minutes per scene)
    #[arg(long)]
    pub error: bool,
}

/// A scene with changes to it.
#[derive(Debug, clap::Args)]
pub struct SceneArgs {
    /// The scene file (TOML; docs/scene.md says what is in it)
    pub scene: PathBuf,
    /// Change a key of the scene, for example time.frames=10; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Method that solves each step, or auto; `pliant methods` lists them
    #[arg(long, short, value_name = "NAME")]
    pub method: Option<String>,
    /// Where to compute: cpu; gpu, the best GPU; gpu:NAME, the best with this in its name; or auto, a hardware GPU if
    /// there is one, else the CPU. `pliant devices` lists what there is
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Width of the numbers
    #[arg(long, value_parser = ["f32", "f64"])]
    pub precision: Option<String>,
}

/// `pliant run`.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_AFTER)]
pub struct RunArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// How many frames to simulate
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub frames: Option<u64>,
    /// Iterations of the method per step
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub iterations: Option<u64>,
    /// Deadline per step, in milliseconds: the best answer by then (the same bits twice are not promised)
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true)]
    pub budget_ms: Option<f64>,
    /// Output folder [default: out/NAME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Formats of the frames: one animated glb file, one html page that plays in any browser, or a file per frame
    #[arg(long, value_delimiter = ',', value_parser = ["glb", "html", "obj", "ply", "vtu"])]
    pub format: Vec<String>,
    /// Go on from the checkpoint in the output folder, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Solve the last step by the reference, too, and report the relative error
    #[arg(long)]
    pub error: bool,
    /// Draw a sheet of moments (.png) or the motion (.gif) into this file, instead of into the output folder
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub preview: Vec<PathBuf>,
    /// Draw no pictures
    #[arg(long, conflicts_with = "preview")]
    pub no_preview: bool,
}

const VIEW_AFTER: &str = "\
Examples:
  pliant view scenes/tablecloth.toml
  pliant view scenes/drape.toml --method pd-jacobi-chebyshev --set cloth.material=silk
  ssh -L 8417:127.0.0.1:8417 server pliant view scenes/drape.toml --no-open     then open http://127.0.0.1:8417 here
  pliant view scenes/drape.toml --host 0.0.0.0 --allow-remote

Drag the cloth with the mouse or a finger, P pins what is under the pointer, space pauses, ? lists all keys. Method and
parameters can be changed while it runs, and two methods compared side by side. It simulates while a page is open, at the frame
rate of the scene or as fast as it can. Ctrl-C ends it. docs/viewer.md says what travels between program and page.";

/// `pliant view`.
#[derive(Debug, clap::Args)]
#[command(after_help = VIEW_AFTER)]
pub struct ViewArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Iterations of the method per step
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub iterations: Option<u64>,
    /// Deadline per step, in milliseconds
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true)]
    pub budget_ms: Option<f64>,
    /// Port to listen on; 0 takes any that is free [default: 8417, or any if that is taken]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Address to listen on; all but loopback need --allow-remote
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = host)]
    pub host: IpAddr,
    /// Let other computers in that know the token in the printed address. Nothing is encrypted
    #[arg(long)]
    pub allow_remote: bool,
    /// Token of all addresses, 16 letters and digits or more: pages then survive a new start of the viewer. Whoever lists the
    /// programs of this computer sees it [default: a new one beyond loopback, none on it]
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
}

/// `pliant compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPARE_AFTER)]
pub struct CompareArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Methods to compare, separated by commas, or "all" that fit the scene [default: some that fit the scene]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Frame after which the compared step begins; may lie beyond the end of the scene
    #[arg(long, value_name = "K", allow_negative_numbers = true, default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    pub frame: u64,
    /// Iterations of every method [default: the scene's solver.iterations, or each method's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub iterations: Option<u64>,
    /// Output folder [default: out/NAME-compare]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `pliant selftest`.
#[derive(Debug, clap::Args)]
#[command(after_help = SELFTEST_AFTER)]
pub struct SelftestArgs {
    /// What to test: cpu, gpu, gpu:NAME, or auto for what a simulation would use; `pliant devices` lists what there is
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub device: String,
    /// Also try operations on a million vertices, which takes minutes
    #[arg(long)]
    pub large: bool,
}

/// `pliant mesh`.
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Show counts, sizes and topology
    #[command(after_help = "Example:\n  pliant mesh info bunny.obj armadillo.msh")]
    Info {
        /// OBJ, STL, PLY, Gmsh, VTK, VTU or TetGen files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Find what is wrong: bad elements, crossing surfaces; note surfaces that are open or inside out
    #[command(
        after_help = "Example:\n  pliant mesh check bunny.obj\n\nExits with 2 if a mesh has errors; warnings and notes change \
                      nothing."
    )]
    Check {
        /// OBJ, STL, PLY, Gmsh, VTK, VTU or TetGen files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write a mesh in the format that the new name says
    #[command(after_help = "Example:\n  pliant mesh convert bunny.stl bunny.ply")]
    Convert {
        /// The file to read
        from: PathBuf,
        /// The file to write: .obj, .stl, .ply, .msh, .vtk or .vtu
        to: PathBuf,
    },
    /// Colour the vertices so that no two of a triangle or tetrahedron share a colour, and compare how
    Colour(ColourArgs),
}

const COLOUR_AFTER: &str = "\
Examples:
  pliant mesh colour bunny.obj
  pliant mesh colour armadillo.msh --algorithm all
  pliant mesh colour cloth.obj --device gpu
  pliant mesh colour bunny.obj --matrix bunny.png --json | jq .colours

Vertices of a colour can be updated at once by Gauss-Seidel; fewer colours are fewer passes. rounds: how often all
vertices that are left run in parallel (greedy is sequential); balance: vertices of the largest colour over those of the
smallest; ms: the quickest of three, with the graph on the device, where the colours stay; waits: how often the host waited
for a GPU. The same seed gives the same colours, with any number of threads and on every device. Exits with 4 if a device is
missing or fails, or if a colouring is wrong: then the device is not to be trusted.";

/// `pliant mesh colour`.
#[derive(Debug, clap::Args)]
#[command(after_help = COLOUR_AFTER)]
pub struct ColourArgs {
    /// An OBJ, STL, PLY, Gmsh, VTK, VTU or TetGen file
    pub file: PathBuf,
    /// How to colour; all: every one of them, to compare
    #[arg(long, short, value_name = "NAME", default_value = "vivace", value_parser = algorithms())]
    pub algorithm: String,
    /// Where to compute: cpu; gpu, the best GPU; gpu:NAME, the best with this in its name; or auto, a hardware GPU if
    /// there is one, else the CPU. greedy is sequential and runs on the CPU
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub device: String,
    /// Where the random numbers start
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u32,
    /// Draw which vertices are neighbours, in the order of the file and sorted by colour, into this file (.png)
    #[arg(long, value_name = "FILE", value_parser = png_file)]
    pub matrix: Option<PathBuf>,
}

fn algorithms() -> PossibleValuesParser {
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name).into_iter().chain(["all"]))
}

fn png_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("expected the name of a .png file".to_string()),
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_string(), value.trim().to_string())),
        _ => Err("expected KEY=VALUE, for example time.frames=10".to_string()),
    }
}

fn host(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "expected localhost or an address of this computer, for example 192.168.1.7".to_string())
}

fn count(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(count) if (1..=100_000_000).contains(&count) => Ok(count),
        _ => Err("expected a whole number from 1 to 100000000, for example 60".to_string()),
    }
}

fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if ms > 0.0 && ms <= 1e9 => Ok(ms),
        _ => Err("expected a number of milliseconds above 0 and at most 1e9, for example 5".to_string()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, 0 or more".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_set_value_may_hold_an_equals_sign() {
        assert_eq!(key_value(" a.b = x=y "), Ok(("a.b".to_string(), "x=y".to_string())));
        assert!(key_value("a.b").is_err() && key_value("=3").is_err());
    }
}
