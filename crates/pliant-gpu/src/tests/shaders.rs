//! Every shader text that can be made parses and is valid, on machines without any GPU too.

use crate::kernel::{GROUP, with_prelude};
use crate::kernels::{Obstacles, force_text, grip_text, step_text};
use crate::patch_pack::Sizes;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use pliant::material::{Batch, Elements};

/// None, some without grids, some with; with bodies that feel each other and without.
const OBSTACLES: [Obstacles; 6] = [
    Obstacles { count: 0, grids: false, bodies: false },
    Obstacles { count: 1, grids: false, bodies: false },
    Obstacles { count: 5, grids: false, bodies: false },
    Obstacles { count: 2, grids: true, bodies: false },
    Obstacles { count: 0, grids: false, bodies: true },
    Obstacles { count: 2, grids: true, bodies: true },
];

/// No elements, of each kind.
fn kinds() -> Vec<Elements<f64>> {
    macro_rules! none {
        ($($kind:ident)*) => { vec![$(Elements::$kind(Batch::default())),*] };
    }
    let kinds = none!(Pin Spring QuadraticBending CurvedBending DihedralBending ArapTriangle CorotatedTriangle
        StvkTriangle BaraffWitkinTriangle StrainLimitTriangle ArapTet CorotatedTet StvkTet NeoHookeanTet MooneyRivlinTet
        FungTet StableNeoHookeanTet SplineTet StrainLimitTet VolumeLimitTet);
    let names: Vec<&str> = Elements::<f64>::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(kinds.iter().map(Elements::name).collect::<Vec<_>>(), names, "every kind is here");
    kinds
}

/// All texts, with names.
fn texts() -> Vec<(String, String)> {
    let mut texts = vec![
        ("vector".to_string(), include_str!("../vector.wgsl").to_string()),
        ("reduce".to_string(), include_str!("../reduce.wgsl").to_string()),
        ("matrix".to_string(), crate::matrix::text()),
        ("scale".to_string(), crate::scale::text()),
        ("descent".to_string(), crate::scale::descent_text(false)),
        ("descent with slots".to_string(), crate::scale::descent_text(true)),
        ("multigrid".to_string(), crate::multigrid::text()),
        ("coarse levels".to_string(), crate::multigrid::coarse_text()),
        ("shape".to_string(), crate::kernels::shape_text()),
        ("turn".to_string(), crate::turn::turn_text()),
        ("scan".to_string(), include_str!("../kernels/scan.wgsl").to_string()),
        ("gather".to_string(), include_str!("../kernels/gather.wgsl").to_string()),
        ("stream".to_string(), format!("const READS: u32 = 9u;\n{}", include_str!("../kernels/stream.wgsl"))),
    ];
    texts.extend(crate::colouring::texts().map(|(name, text)| (name.to_string(), text)));
    texts.extend(crate::touching::texts().map(|(name, text)| (name.to_string(), text)));
    texts.extend(crate::close::texts().map(|(name, text)| (name.to_string(), text)));
    for (flag, obstacles) in [false, true].into_iter().flat_map(|flag| OBSTACLES.map(|obstacles| (flag, obstacles))) {
        let name = |what: &str| format!("{what}, {flag}, {obstacles:?}");
        for (what, kernel) in
            [("sweep", include_str!("../kernels/sweep.wgsl")), ("measure", include_str!("../kernels/measure.wgsl"))]
        {
            texts.push((name(what), force_text(flag, obstacles, kernel)));
        }
        texts.push((name("relax"), crate::relax::text(flag, obstacles)));
        texts.push((name("step"), step_text(flag, obstacles)));
    }
    let [none, one, five, grids, bodies, all] = OBSTACLES;
    texts.extend([one, five, grids, all].map(|obstacles| (format!("grip, {obstacles:?}"), grip_text(obstacles))));
    texts.extend([bodies, all].map(|obstacles| (format!("balance, {obstacles:?}"), crate::balance::text(obstacles))));
    let rings = [(0, 0, none), (7, 0, none), (8, 5, one), (0, 3, five), (6, 2, grids), (6, 2, bodies), (6, 2, all)];
    for (springs, others, obstacles) in rings {
        let name = format!("rings, {springs} springs, {others} others, {obstacles:?}");
        texts.push((name, crate::rings::text(96, springs, others, obstacles)));
    }
    let kinds = kinds();
    let elements_of_all: Vec<_> = kinds.iter().filter_map(Elements::wgsl).collect();
    for (obstacles, rows) in [(none, false), (one, true), (five, true), (grids, true), (all, true)] {
        // One round of elements for some kinds, several for others.
        let elements = (0..elements_of_all.len()).map(|k| 40 * k + 1).collect();
        let sizes = Sizes { width: 128, own: 20, member_rounds: 3, elements, slots: 900 };
        texts.push((format!("patch, {obstacles:?}"), crate::patches::text(&elements_of_all, &sizes, rows, obstacles)));
    }
    for elements in &kinds {
        let Some(element) = elements.wgsl() else { continue };
        for corrections in [false, true].into_iter().filter(|corrections| !corrections || elements.is_compliant()) {
            let name = format!("{}, corrections {corrections}", element.prefix);
            texts.push((name, crate::elements::text(&element, corrections)));
        }
        if element.isotropic {
            texts.push((format!("{}, scale", element.prefix), crate::elements::scale_text(&element)));
        }
        if elements.is_convertible() {
            texts.push((format!("{}, convert", element.prefix), crate::elements::convert_text(&element)));
        }
    }
    texts
}

#[test]
fn all_modules_are_valid() {
    let texts = texts();
    assert_eq!(texts.len(), 13 + 7 + 3 + 5 + 12 * 4 + 4 + 2 + 7 + 5 + 8 * 2 + 6 + 7 + 5);
    for (name, text) in texts {
        for group in [64, GROUP] {
            let text = with_prelude(&text, group);
            let module = naga::front::wgsl::parse_str(&text)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
            Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES)
                .validate(&module)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
            assert!(!module.entry_points.is_empty(), "{name} has no kernel");
        }
    }
}

#[test]
fn every_function_of_every_wgsl_file_is_part_of_some_module() {
    let texts: String = texts().into_iter().map(|(_, text)| with_prelude(&text, GROUP)).collect();
    let mut folders =
        ["src", "../pliant/src"].map(|folder| format!("{}/{folder}", env!("CARGO_MANIFEST_DIR")).into()).to_vec();
    let (mut files, mut functions) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir::<&std::path::PathBuf>(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "wgsl") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            // Templates are filled in, and blanks are in upper case; a line without any is as good as any.
            let is_whole = |line: &&str| !line.contains(char::is_uppercase);
            let heads =
                text.lines().filter(|line| line.starts_with("fn ")).filter_map(|line| line.split_inclusive('(').next());
            let heads: Vec<&str> = heads.filter(is_whole).collect();
            let any = text.lines().rev().filter(is_whole).find(|line| line.len() > 30).unwrap();
            for part in heads.iter().chain([&any]) {
                assert!(texts.contains(part), "`{part}` of {} is not checked", path.display());
            }
            files += 1;
            functions += heads.len();
        }
    }
    assert!(files >= 65 && functions >= 200, "{files} files, {functions} functions");
}

#[test]
fn no_module_assumes_a_subgroup_size() {
    for (name, text) in texts() {
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        assert!(!code.iter().any(|line| line.contains("subgroup")), "{name}");
    }
}
