//! What valid scenes mean.

use super::*;
use crate::scene::*;

#[test]
fn every_shipped_scene_parses_and_says_what_it_is() {
    let paths = shipped();
    let names: Vec<String> =
        paths.iter().map(|p| p.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
    let solids = ["armadillo", "balls", "bar", "scramble", "twist"];
    let cloths = ["armchair", "cloth-heap", "drape", "drop", "hanging", "heap", "noodles", "tablecloth", "wind"];
    for expected in solids.iter().chain(&cloths) {
        assert!(names.contains(&format!("{expected}.toml")), "{expected} is missing from {names:?}");
    }
    for path in paths {
        let scene = Scene::read(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(Some(scene.name.as_str()), path.file_stem().and_then(|s| s.to_str()));
        let text = std::fs::read_to_string(&path).expect("readable");
        assert!(text.starts_with("# "), "{} has no comment at its top", path.display());
    }
}

#[test]
fn an_empty_cloth_is_cotton_on_springs() {
    let scene = good("pliant = 1\n[[cloth]]\n");
    let cloth = &scene.cloth[0];
    assert_eq!((cloth.name.as_str(), cloth.density, cloth.thickness), ("cloth", 0.2, 1e-3));
    assert_eq!(cloth.stretch, StretchModel::Springs { stiffness: 1.2e4 });
    assert_eq!(cloth.bend, BendModel::Quadratic { stiffness: 1e-5 });
    assert_eq!(scene.gravity, [0.0, -9.81, 0.0]);
    assert_eq!(scene.time, Time { frame_rate: 60.0, frames: 120, steps_per_frame: 1, quasistatic: false });
    assert_eq!(scene.solver.method, "auto");
    assert_eq!((scene.solver.iterations, scene.solver.delay, scene.solver.over_relaxation), (None, 10, None));
    assert_eq!((scene.device.name.as_str(), scene.device.precision), ("auto", Precision::F32));
    assert_eq!((scene.output.formats, scene.output.checkpoint_every), (vec!["glb".to_string()], 10));
}

#[test]
fn a_material_is_a_preset_that_single_keys_change() {
    let scene = good(
        "pliant = 1\n[[cloth]]\nmaterial = \"denim\"\nstretch = \"stvk\"\nbend = \"dihedral\"\ndensity = \"300 g/m^2\"\n",
    );
    let cloth = &scene.cloth[0];
    assert_eq!(cloth.density, 0.3);
    let model = MembraneModel::StVenantKirchhoff;
    assert_eq!(cloth.stretch, StretchModel::Membrane { youngs_modulus: 2e4, poisson_ratio: 0.3, model });
    assert_eq!(cloth.bend, BendModel::Dihedral { stiffness: 8e-5 });
}

#[test]
fn every_solid_shape_is_understood() {
    let mesh = |line: &str| good(&format!("pliant = 1\n[[solid]]\n{line}\n")).solid[0].mesh.clone();
    assert_eq!(mesh("shape = \"box\""), MeshSource::Box { size: [0.2; 3], cells: [4; 3] });
    assert_eq!(mesh("shape = \"bar\""), MeshSource::Box { size: [1.0, 0.2, 0.2], cells: [20, 4, 4] });
    assert_eq!(mesh("shape = \"bar\"\nedge = 0.1"), MeshSource::Box { size: [1.0, 0.2, 0.2], cells: [10, 2, 2] });
    assert_eq!(
        mesh("shape = \"box\"\nsize = 1\ncells = [1, 2, 3]"),
        MeshSource::Box { size: [1.0; 3], cells: [1, 2, 3] }
    );
    assert_eq!(mesh("shape = \"sphere\"\nradius = 0.4"), MeshSource::Sphere { radius: 0.4, edge: 0.1 });
    assert_eq!(mesh("shape = \"cylinder\""), MeshSource::Cylinder { radius: 0.1, height: 0.3, edge: 0.025 });
    assert_eq!(mesh("shape = \"torus\""), MeshSource::Torus { major_radius: 0.15, minor_radius: 0.05, edge: 0.025 });
    assert_eq!(mesh("shape = \"double-helix\"\ntets = 5000"), MeshSource::DoubleHelix { tets: 5000 });
    assert_eq!(mesh("shape = \"creature\"\ntets = 5000"), MeshSource::Creature { tets: 5000 });
    assert_eq!(mesh("mesh = \"Cargo.toml\""), MeshSource::File("Cargo.toml".into()));
    assert_eq!(mesh("mesh = { file = \"Cargo.toml\" }"), MeshSource::File("Cargo.toml".into()));
}

#[test]
fn every_collider_and_force_is_understood() {
    let scene = good(
        "pliant = 1\n[[cloth]]\n[[collider]]\nshape = \"half-space\"\n[[collider]]\nshape = \"sphere\"\nradius = 1\n\
         [[collider]]\nshape = \"capsule\"\nradius = 1\nheight = 2\n[[collider]]\nshape = \"box\"\nsize = [1, 2, 3]\n\
         [[collider]]\nshape = \"cylinder\"\nradius = 1\nheight = 2\nangular_velocity = [0, \"10 rpm\", 0]\n\
         [[collider]]\nshape = \"mesh\"\nmesh = \"Cargo.toml\"\nscale = 2\n[[collider]]\nshape = \"armchair\"\ncells = 50\n\
         [[force]]\nkind = \"wind\"\nvelocity = [1, 0, 0]\n[[force]]\nkind = \"acceleration\"\nacceleration = [1, 0, 0]\n\
         [[force]]\nkind = \"damping\"\nrate = 2\n",
    );
    let shapes: Vec<ColliderShape> = scene.collider.iter().map(|c| c.shape.clone()).collect();
    assert_eq!(
        shapes,
        [
            ColliderShape::HalfSpace { normal: [0.0, 1.0, 0.0] },
            ColliderShape::Sphere { radius: 1.0 },
            ColliderShape::Capsule { radius: 1.0, height: 2.0 },
            ColliderShape::Box { size: [1.0, 2.0, 3.0] },
            ColliderShape::Cylinder { radius: 1.0, height: 2.0 },
            ColliderShape::Mesh { file: "Cargo.toml".into(), scale: 2.0, cells: 96 },
            ColliderShape::Armchair { width: 1.0, cells: 50 },
        ]
    );
    assert_eq!(scene.collider[4].angular_velocity, [0.0, 60.0, 0.0]);
    assert_eq!((scene.collider[0].moves, scene.collider[0].friction), ([0.0, f64::INFINITY], 0.3));
    assert_eq!(scene.collider[0].name, "collider0");
    let wind = Force::Wind { velocity: [1.0, 0.0, 0.0], drag: 2.5 };
    assert_eq!(scene.force, [wind, Force::Acceleration([1.0, 0.0, 0.0]), Force::Damping(2.0)]);
}

#[test]
fn a_pin_selects_and_holds_in_every_way() {
    let pin = |line: &str| good(&format!("pliant = 1\n[[cloth]]\nname = \"flag\"\n[[pin]]\n{line}\n")).pin[0].clone();
    assert_eq!(pin("vertices = [0, 5]").select, Select::Vertices(vec![0, 5]));
    assert_eq!(pin("vertices = 3").select, Select::Vertices(vec![3]));
    assert_eq!(pin("nearest = [0, 1, 0]").select, Select::Nearest(vec![[0.0, 1.0, 0.0]]));
    assert_eq!(
        pin("nearest = [[0, 1, 0], [1, 1, \"2 mm\"]]").select,
        Select::Nearest(vec![[0.0, 1.0, 0.0], [1.0, 1.0, 0.002]])
    );
    assert_eq!(pin("inside = [[0, 0, 0], [1, 1, 1]]").select, Select::Inside([[0.0; 3], [1.0; 3]]));
    assert_eq!(pin("corners = \"+x+z\"").select, Select::Corners(vec!["+x+z".to_string()]));
    let held = pin("vertices = 0");
    assert_eq!((held.hold, held.release, held.moves), (Hold::Exact, f64::INFINITY, [0.0, f64::INFINITY]));
    assert_eq!(held.body, "flag");
    assert_eq!(pin("vertices = 0\nstiffness = \"1 kN/m\"").hold, Hold::Spring(1000.0));
}

#[test]
fn a_drag_has_a_path_of_times_and_places() {
    let text = "pliant = 1\n[[cloth]]\nname = \"a\"\n[[cloth]]\n[[drag]]\nstiffness = \"1 kN/m\"\n\
                path = [[0, 1, 2, 3], [\"500 ms\", \"10 cm\", 2, 3]]\n";
    let scene = good(text);
    let path = vec![Waypoint { time: 0.0, place: [1.0, 2.0, 3.0] }, Waypoint { time: 0.5, place: [0.1, 2.0, 3.0] }];
    assert_eq!(scene.drag, [Drag { body: String::new(), path, radius: 0.0, stiffness: 1000.0 }]);
    assert_eq!(good(&format!("{text}body = \"a\"\nradius = 0.2\n")).drag[0].body, "a");
}

#[test]
fn copies_of_a_body_have_names_and_places_of_their_own() {
    let text = |more: &str| {
        format!(
            "pliant = 1\n[[cloth]]\nname = \"a\"\nposition = [1, 2, 3]\nrotation = [10, 0, 0]\n{more}\n[[solid]]\nshape = \"box\"\n"
        )
    };
    let plain = good(&text("copies = 3\ncopy_offset = [0, \"10 cm\", -1]"));
    let names: Vec<&str> = plain.cloth.iter().map(|cloth| cloth.name.as_str()).collect();
    assert_eq!(names, ["a-0", "a-1", "a-2"]);
    let places: Vec<[f64; 3]> = plain.cloth.iter().map(|cloth| cloth.placement.position).collect();
    assert_eq!(places, [[1.0, 2.0, 3.0], [1.0, 2.1, 2.0], [1.0, 2.2, 1.0]]);
    assert!(plain.cloth.iter().all(|cloth| cloth.placement.rotation == [10.0, 0.0, 0.0]));
    assert_eq!((plain.solid.len(), plain.solid[0].name.as_str()), (1, "solid"));
    assert_eq!(good(&text("copies = 1")), good(&text("")));
    let pinned = |body: &str| {
        format!("{}[[pin]]\nbody = \"{body}\"\nvertices = 0\n", text("copies = 2\ncopy_offset = [1, 0, 0]"))
    };
    assert_eq!(good(&pinned("a-1")).pin[0].body, "a-1");
    assert!(bad(&pinned("a")).contains("there is no body \"a\""));
}

#[test]
fn copies_are_scattered_by_the_seed_within_bounds() {
    let scattered = |seed: &str, copies: &str| {
        let text = "pliant = 1\n[[solid]]\nshape = \"box\"\ncopy_offset = [0, 1, 0]\ncopy_scatter = [0.1, 0, \"20 cm\"]\n\
                    copy_turn = [0, 90, 5]\n";
        parse_with(text, &[("seed", seed), ("solid.copies", copies)]).unwrap_or_else(|e| panic!("{e}")).solid
    };
    let many = scattered("1", "50");
    for (i, solid) in many.iter().enumerate() {
        let ([x, y, z], [a, b, c]) = (solid.placement.position, solid.placement.rotation);
        assert!(x.abs() <= 0.1 && y == i as f64 && z.abs() <= 0.2, "{x} {y} {z}");
        assert!(a == 0.0 && b.abs() <= 90.0 && c.abs() <= 5.0, "{a} {b} {c}");
    }
    let turns = || many.iter().map(|solid| solid.placement.rotation[1]);
    assert!(turns().any(|turn| turn > 45.0) && turns().any(|turn| turn < -45.0));
    assert_eq!(scattered("1", "20"), many[..20], "more copies leave the others where they are");
    assert_ne!(scattered("2", "50"), many);
}

#[test]
fn a_reference_mesh_is_taken_if_it_is_there_and_people_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenes = folder.path().join("repository/scenes");
    let data = folder.path().join("shared/data");
    [&scenes, &data].iter().for_each(|folder| std::fs::create_dir_all(folder).expect("can make it"));
    std::fs::write(data.join("a.msh"), "").expect("can write");
    let read = |file: &str| {
        let text = format!("pliant = 1\n[[solid]]\nshape = \"creature\"\ndata = \"{file}\"\n");
        Scene::parse(&text, "test.toml", &scenes, &[]).unwrap_or_else(|e| panic!("{e}"))
    };
    // Who has set the variable has the folder elsewhere.
    if std::env::var_os("PLIANT_DATA").is_none() {
        let there = read("a.msh");
        assert_eq!(there.solid[0].mesh, MeshSource::File("../../shared/data/a.msh".into()));
        assert!(there.notes.len() == 1 && there.notes[0].ends_with("a.msh"), "{:?}", there.notes);
    }
    let missing = read("b.msh");
    assert_eq!(missing.solid[0].mesh, MeshSource::Creature { tets: 20_000 });
    assert!(missing.notes.len() == 1 && missing.notes[0].contains("a generated shape"), "{:?}", missing.notes);
    assert_eq!(missing.hash(), Scene { notes: Vec::new(), ..missing.clone() }.hash());
}

#[test]
fn one_body_may_be_written_as_a_single_table() {
    assert_eq!(good("pliant = 1\n[cloth]\nsize = 2\n"), good("pliant = 1\n[[cloth]]\nsize = 2\n"));
}

#[test]
fn the_hash_follows_the_physics_and_nothing_else() {
    let text = "pliant = 1\n[[cloth]]\n";
    let base = good(text).hash();
    assert_eq!(good(text).hash(), base);
    let changed = |key: &str, value: &str| parse_with(text, &[(key, value)]).unwrap_or_else(|e| panic!("{e}")).hash();
    for (key, value) in [("time.frames", "7"), ("output.formats", "obj"), ("name", "other")] {
        assert_eq!(changed(key, value), base, "{key}");
    }
    for (key, value) in [
        ("cloth.density", "0.2000001"),
        ("time.frame_rate", "61"),
        ("seed", "1"),
        ("solver.rho", "0.9"),
        ("gravity", "[0, 0, 0]"),
    ] {
        assert_ne!(changed(key, value), base, "{key}");
    }
    let elsewhere = Scene { folder: "/elsewhere".into(), ..good(text) };
    assert_eq!(elsewhere.hash(), base);
}

#[test]
fn the_hash_sees_a_changed_mesh_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hash = |contents: &str| {
        std::fs::write(folder.path().join("a.obj"), contents).expect("can write");
        let text = "pliant = 1\n[[cloth]]\nmesh = \"a.obj\"\n";
        Scene::parse(text, "test.toml", folder.path(), &[]).unwrap_or_else(|e| panic!("{e}")).hash()
    };
    assert_ne!(hash("v 0 0 0"), hash("v 0 0 1"));
}

/// Regression: a budget that no clock can hold used to panic when the simulation was built.
#[test]
fn a_budget_of_ages_is_refused() {
    let text = "pliant = 1\n[[cloth]]\n[solver]\nbudget_ms = 1e300\n";
    let error = Scene::parse(text, "ages", ".".as_ref(), &[]).unwrap_err().to_string();
    assert!(error.contains("budget_ms"), "{error}");
}
