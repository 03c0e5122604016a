//! Every shader text parses and is valid, on machines without any GPU too.

use crate::kernel::with_prelude;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn all_wgsl_files_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "wgsl") || path.ends_with("prelude.wgsl") {
            continue;
        }
        let text = with_prelude(&std::fs::read_to_string(&path).unwrap(), 64);
        let module = naga::front::wgsl::parse_str(&text)
            .unwrap_or_else(|error| panic!("{}: {}", path.display(), error.emit_to_string(&text)));
        Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}: {}", path.display(), error.emit_to_string(&text)));
        assert!(!module.entry_points.is_empty(), "{} has no kernel", path.display());
        seen += 1;
    }
    assert!(seen >= 2, "{seen} files in {folder}");
}
