//! What people are told about typical mistakes. The messages are in `messages.txt`, each below its scene.

use super::*;
use crate::scene::Location;

/// One mistake each.
const MISTAKES: &[&str] = &[
    "[[cloth]]\n",
    "pliant = 2\n[[cloth]]\n",
    "pliant = 1\n",
    "pliant = 1\n[[cloth]]\ndensty = 0.2\n",
    "pliant = 1\n[[cloth]]\ncolour = \"red\"\n",
    "pliant = 1\n[[cloths]]\n",
    "pliant = 1\n[[cloth]]\nmaterial = \"cottn\"\n",
    "pliant = 1\n[[cloth]]\nstretch = \"neo-hookean\"\n",
    "pliant = 1\n[[cloth]]\ndensity = -0.2\n",
    "pliant = 1\n[[cloth]]\n\tdensity = nan\n",
    "pliant = 1\n[[cloth]]\npoisson_ratio = 0.5\n",
    "pliant = 1\n[[cloth]]\ndensity = \"1 MPa\"\n",
    "pliant = 1\n[[cloth]]\nresolution = 1\n",
    "pliant = 1\n[[cloth]]\nresolution = [10, 10.0]\n",
    "pliant = 1\n[[cloth]]\nposition = [0, 1]\n",
    "pliant = 1\n[[cloth]]\nscramble = \"yes\"\n",
    "pliant = 1\n[time]\nframe_rate = 0\n[[cloth]]\n",
    "pliant = 1\n[solver]\nframes = 10\n[[cloth]]\n",
    "pliant = 1\n[time]\ngravity = [0, 0, 0]\n[[cloth]]\n",
    "pliant = 1\n[[time]]\n[[cloth]]\n",
    "pliant = 1\n[[cloth]]\nname = \"a\"\n[[solid]]\nname = \"a\"\nshape = \"box\"\n",
    "pliant = 1\n[[cloth]]\nname = \"curtain\"\n[[pin]]\nbody = \"curtian\"\nvertices = 0\n",
    "pliant = 1\n[[cloth]]\n[[cloth]]\n[[pin]]\nvertices = 0\n",
    "pliant = 1\n[[cloth]]\n[[pin]]\n",
    "pliant = 1\n[[cloth]]\n[[pin]]\nvertices = 0\ncorners = \"-x-z\"\n",
    "pliant = 1\n[[cloth]]\n[[pin]]\nvertices = [0, 99999]\n",
    "pliant = 1\n[[solid]]\nshape = \"sphere\"\nsize = 1\n",
    "pliant = 1\n[[solid]]\n",
    "pliant = 1\n[[collider]]\nshape = \"sphere\"\n[[cloth]]\n",
    "pliant = 1\n[[cloth]\ndensity = 1\n",
    "pliant = 1\n[[cloth]]\ndensity = 1\ndensity = 2\n",
    "pliant = 1\ncloth = 3\n",
    "pliant = 1\n[[cloth]]\nstrain_limit = [1.1, 0.9]\n",
    "pliant = 1\n[[solid]]\nshape = \"sphere\"\nedge = 1e-9\n",
    "pliant = 1\n[[cloth]]\ndensity = \n",
    "",
    "pliant = 1\n[[collider]]\nshape = \"half-space\"\nnormal = [0, 0, 0]\n[[cloth]]\n",
    "pliant = 1\n[[solid]]\nshape = \"torus\"\nminor_radius = 1\n",
    "pliant = 1\n[[force]]\nkind = \"wind\"\nrate = 2\n[[cloth]]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nedge = 0.1\ncells = 2\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\n[[pin]]\ncorners = \"-x-z\"\n",
    "pliant = 1\n[[cloth]]\n[[pin]]\ninside = [[0, 1, 0], [0, 0, 0]]\n",
    "pliant = 1\n[output]\nformats = [\"glb\", \"fbx\"]\n[[cloth]]\n",
    "pliant = 1\n[[cloth]]\nmesh = { size = 1 }\nsize = 2\n",
    "pliant = 1\n[[cloth]]\nstiffness = 100\n",
    "pliant = 1\n[solver]\nrho = 1\n[[cloth]]\n",
    "pliant = 1\n[[cloth]]\nthickness = \"1 milimeter\"\n",
    "pliant = 1\n[[cloth]]\nsize = [1, inf]\n",
    "pliant = 1\n[[cloth]]\nposition = [0, -inf, 0]\n",
    "pliant = 1\n[[cloth]]\n[[pin]]\nvertices = 0\nrelease = nan\n",
    "pliant = 1\n[[cloth]]\n[[drag]]\n",
    "pliant = 1\n[[cloth]]\n[[drag]]\nbody = \"clot\"\npath = [[0, 0, 0, 0]]\nstifness = 1\n",
    "pliant = 1\n[[cloth]]\n[[drag]]\npath = [[0, 0, 0], [\"1 m\", 0, 0, 0], [-1, 0, 0, 0]]\nstiffness = 10\n",
    "pliant = 1\n[[cloth]]\n[[drag]]\npath = [[0, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]]\nstiffness = 10\n",
    "pliant = 1\n[[cloth]]\ncopies = 3\n",
    "pliant = 1\n[[cloth]]\ncopies = 0\n",
    "pliant = 1\n[[cloth]]\ncopis = 3\ncopy_ofset = [0, 1, 0]\n",
    "pliant = 1\n[[cloth]]\ncopies = 2\ncopy_offset = [0, \"1 s\", 0]\ncopy_turn = 90\n",
    "pliant = 1\n[[cloth]]\nname = \"a\"\ncopies = 2\ncopy_offset = [0, 1, 0]\n[[cloth]]\nname = \"a-1\"\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"stvk\"\nparameters = [\"1 kPa\"]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"fung\"\nparameters = [1, \"1 m\", 1, \"2 Pa\"]\nyoungs_modulus = 1\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"spline\"\nparameters = []\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nknots = [[1, 0], [2, 10]]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"spline\"\nknots = [[1, 0], [2, -10]]\narea_knots = [[0.5, -1], [2, 1]]\nvolume_knots = [[1, 0], [1, 0]]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"spline\"\nknots = [1, 0]\nfibres = [0, 0, 0]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"spline\"\nfibres = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nfibre_knots = [[[1, 0], [2, 1]], [[1, 0], [2, 1]]]\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"stvk\"\nconversion = false\n",
    "pliant = 1\n[[solid]]\nshape = \"box\"\nmodel = \"fung\"\nconversion = false\nstrain_limit = [0.7, 1.5]\n",
    "pliant = 1\n[[cloth]]\n[[force]]\nkind = \"rayleigh\"\n",
    "pliant = 1\n[[cloth]]\n[time]\nquasistatic = true\n[contact]\nself_collision = true\n",
    "pliant = 1\n[contact]\nself_collision = true\n[[cloth]]\nthickness = 0\ncopies = 2\ncopy_offset = [0, 1, 0]\n",
];

#[test]
fn typical_mistakes_get_the_messages_of_the_snapshot() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scene/tests/messages.txt");
    let quoted = |text: &str| text.lines().map(|l| format!("> {l}\n")).collect::<String>();
    let told: Vec<String> = MISTAKES.iter().map(|text| format!("{}{}", quoted(text), bad(text))).collect();
    let told = told.join("\n");
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::write(&path, &told).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let different = told.lines().zip(expected.lines()).find(|(t, e)| t != e);
    assert_eq!(different, None, "told (left) and expected; PLIANT_BLESS=1 takes what is told");
    assert_eq!(told.len(), expected.len());
}

#[test]
fn every_mistake_is_told_at_once_in_the_order_of_the_text() {
    let text =
        "pliant = 1\n[[cloth]]\ndensity = -1\nsize = \"x\"\n[time]\nframes = 0\nfps = 3\n[[pin]]\nbody = \"no\"\n";
    let error = parse_with(text, &[("solver.rho", "2")]).expect_err("many mistakes");
    let lines: Vec<usize> = error
        .diagnostics
        .iter()
        .map(|d| match &d.location {
            Location::Text { line, .. } => *line,
            _ => 0,
        })
        .collect();
    assert_eq!(lines, [3, 4, 6, 7, 8, 9, 0], "{error}");
}

#[test]
fn a_column_counts_characters_whatever_the_line_ending() {
    let error = parse("pliant = 1\r\n[[cloth]]\r\n\"größe\" = 1; ").expect_err("no such key");
    assert!(error.to_string().starts_with("test.toml:3:11: not TOML"), "{error}");
    let error =
        parse("pliant = 1\r\n\r\n[[cloth]]\r\nmesh = { file = \"µµ\", sise = 1 }\r\n").expect_err("no such key");
    let places: Vec<_> = error
        .diagnostics
        .iter()
        .filter_map(|d| match &d.location {
            Location::Text { line, column, quote, width, .. } => Some((*line, *column, quote.as_str(), *width)),
            _ => None,
        })
        .collect();
    let quote = "mesh = { file = \"µµ\", sise = 1 }";
    assert_eq!(places, [(4, 17, quote, 4), (4, 23, quote, 4)]);
}

#[test]
fn a_mark_stays_under_its_word_in_a_very_long_line() {
    let text = format!("pliant = 1\n[[cloth]]\nmesh = {{ shape = \"{}\", sise = 1 }}\n", "x".repeat(5000));
    let message = bad(&text);
    let lines: Vec<&str> = message.lines().collect();
    let at = lines.iter().position(|l| l.contains("sise = 1")).expect("the line is quoted");
    assert_eq!(lines[at].find("sise"), lines[at + 1].find('^'), "{message}");
    assert!(lines[at].len() < 200);
}

#[test]
fn several_syntax_errors_are_told_at_once() {
    let message = bad("pliant = 1\n[[cloth]]\ndensity = 1 2\nsize =\n");
    assert!(message.contains("test.toml:3:11: not TOML") && message.contains("test.toml:4:"), "{message}");
}

#[test]
fn a_mesh_file_that_does_not_exist_is_told_with_the_folder_and_the_nearest_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("shirt.obj"), "").expect("can write");
    let told = |mesh: &str| {
        let text = format!("pliant = 1\n[[cloth]]\nmesh = \"{mesh}\"\n");
        Scene::parse(&text, "test.toml", folder.path(), &[]).expect_err("no such file").to_string()
    };
    let shown = folder.path().display().to_string();
    let near = told("shrt.obj");
    assert!(near.contains("does not exist") && near.contains(&shown) && near.contains("`shirt.obj`?"), "{near}");
    assert!(near.starts_with("test.toml:3:8:"), "{near}");
    let far = told("bunny.ply");
    assert!(far.contains(&shown) && !far.contains("shirt"), "{far}");
    assert!(told("").contains("is a folder"));
}

#[test]
fn a_mesh_file_takes_no_keys_of_generated_shapes() {
    let message = bad("pliant = 1\n[[cloth]]\nmesh = \"Cargo.toml\"\nresolution = 3\n");
    assert!(message.contains("`resolution` has no meaning for a mesh file"), "{message}");
    let message = bad("pliant = 1\n[[cloth]]\nmesh = \"Cargo.toml\"\nshape = \"grid\"\n");
    assert!(message.contains("there is a `mesh` and a `shape`"), "{message}");
}

#[test]
fn a_misspelt_method_is_shown_where_it_stands_together_with_the_other_mistakes() {
    let text = "pliant = 1\n[[cloth]]\nresolutoin = 3\n[solver]\nmethod = \"pd-jacobbi\"\n";
    let message = bad(text);
    let caret = "    5 | method = \"pd-jacobbi\"\n      |          ^^^^^^^^^^^^\n      = did you mean `pd-jacobi`?";
    assert!(message.contains(":5:10: unknown `method` \"pd-jacobbi\""), "{message}");
    assert!(message.contains(caret), "{message}");
    assert!(message.contains(":3:1: unknown key `resolutoin`"), "{message}");
}

#[test]
fn a_motion_that_never_starts_is_a_mistake() {
    let message =
        bad("pliant = 1\n[[cloth]]\n[[collider]]\nshape = \"half-space\"\nvelocity = [1, 0, 0]\nmoves = [inf, inf]\n");
    assert!(message.contains("`moves` never starts"), "{message}");
}

/// Regression: a device without end was read until memory was.
#[cfg(unix)]
#[test]
fn a_file_without_end_is_no_scene() {
    let message = Scene::read("/dev/zero".as_ref(), &[]).unwrap_err().to_string();
    assert!(message.contains("larger than 16 MiB"), "{message}");
}
