#!/usr/bin/env python3
"""Checks the direction of imports inside the library crate.

    python3 scripts/check_layers.py [ROOT]       exit 1 if a module imports from a higher layer
    python3 scripts/check_layers.py --self-test  proves that violations are caught

A module of crates/pliant/src may import itself and the layers below it. Paths that start with `crate::`, and those
that reach the crate's root through `super::`, are followed in imports and in expressions, in tests as well.
Comments (so doc links too) and strings are not code and are ignored.
"""

import re
import tomllib
from pathlib import Path

import checking

LAYERS = [  # low to high; docs/architecture.md draws the same list
    "math", "atomic_file", "disk_cache", "counted", "scene", "mesh", "colouring", "material", "contact", "linear", "model",
    "device", "solver", "step", "output",
]
LIBRARY = Path("crates/pliant")
ABOVE = ["pliant-cli", "pliant-gpu", "pliant-view"]

NOT_CODE = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\bb?r(?P<hash>\#*)".*?"(?P=hash))
      | (?P<text>b?"(?:\\.|[^"\\])*")
      | (?P<char>b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^'\\])')""",
    re.X | re.S,
)
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|::|[{}();,*]|\S")
EXPORTED_MACRO = re.compile(r"#\[macro_export\]\s*macro_rules!\s*(\w+)")


def only_code(source):
    """The source with comments, strings and characters blanked out; every line keeps its number."""
    out, at = [], 0
    while match := NOT_CODE.search(source, at):
        end = block_end(source, match.end()) if match["block"] else match.end()
        out += [source[at:match.start()], re.sub(r"[^\n]", " ", source[match.start():end])]
        at = end
    return "".join(out) + source[at:]


def block_end(source, at):
    """Where a block comment ends; they nest."""
    depth = 1
    for match in re.finditer(r"/\*|\*/", source[at:]):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return at + match.end()
    return len(source)


def paths(code):
    """(line, names of the enclosing inline modules, segments) of every path that starts at crate or super."""
    tokens, line, at = [], 1, 0
    for match in TOKEN.finditer(code):
        line += code.count("\n", at, match.start())
        at = match.start()
        tokens.append((match.group(), line))
    inline, depth, i = [], 0, 0
    while i < len(tokens):
        token, line = tokens[i]
        if token == "mod" and i + 2 < len(tokens) and tokens[i + 2][0] == "{":
            inline.append((tokens[i + 1][0], depth))
            depth += 1
            i += 3
        elif token in ("crate", "super") and (i == 0 or tokens[i - 1][0] != "::"):
            found, i = follow(tokens, i, [])
            yield from ((line, [name for name, _ in inline], segments) for line, segments in found)
        else:
            depth += {"{": 1, "}": -1}.get(token, 0)
            if token == "}" and inline and inline[-1][1] == depth:
                inline.pop()
            i += 1


def follow(tokens, i, before):
    """The paths that start at token i, groups in braces spread out, and the index of the token after them."""
    segments, line = list(before), tokens[i][1]
    while i < len(tokens):
        token = tokens[i][0]
        if token == "{":
            found, i = [], i + 1
            while i < len(tokens) and tokens[i][0] != "}":
                if tokens[i][0] == ",":
                    i += 1
                    continue
                more, i = follow(tokens, i, segments)
                found += more
            return found, i + 1
        segments.append(token)
        i += 1
        if i >= len(tokens) or tokens[i][0] != "::":
            break
        i += 1
    if i + 1 < len(tokens) and tokens[i][0] == "as":
        i += 2
    return [(line, segments)], i


def module_path(file, source_folder):
    """['material', 'spring'] for material/spring.rs, ['material'] for material/mod.rs, [] for lib.rs."""
    parts = list(file.relative_to(source_folder).with_suffix("").parts)
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def target_of(segments, here):
    """What a path names at the crate's root: a module, an exported macro, or None for something of the root itself."""
    if segments[0] == "crate":
        return segments[1] if len(segments) > 1 else None
    up = next((k for k, segment in enumerate(segments) if segment != "super"), len(segments))
    base = here[: len(here) - up] if up <= len(here) else []
    if base:
        return base[0]
    return segments[up] if up < len(segments) else None


def check_imports(root):
    source_folder = root / LIBRARY / "src"
    files = sorted(source_folder.rglob("*.rs"))
    code = {file: only_code(file.read_text(encoding="utf-8")) for file in files}
    macros = {name: module_path(file, source_folder)[:1] for file in files for name in EXPORTED_MACRO.findall(code[file])}
    problems = []
    for file in files:
        shown, own = file.relative_to(root), module_path(file, source_folder)
        if not own:
            problems += check_root(shown, code[file])
            continue
        if own[0] not in LAYERS:
            continue  # check_root has said so
        said = set()
        for line, inline, segments in paths(code[file]):
            target = target_of(segments, own + inline)
            target = (macros.get(target) or [target])[0]
            if target in LAYERS and LAYERS.index(target) > LAYERS.index(own[0]) and (line, target) not in said:
                said.add((line, target))
                lower = ", ".join(LAYERS[: LAYERS.index(own[0])]) or "nothing"
                problems.append(f"{shown}:{line}: `{own[0]}` imports `{target}` ({'::'.join(segments)}), a higher layer; "
                                f"`{own[0]}` may import itself and {lower}: move what is shared down, or the user up")
        for above in ABOVE:
            name = above.replace("-", "_")
            for match in re.finditer(rf"\b{name}\b", code[file]):
                line = code[file].count("\n", 0, match.start()) + 1
                problems.append(f"{shown}:{line}: the library names `{name}`, which stands above it; "
                                f"only {above} may import pliant, never the other way round")
    return problems


def check_root(shown, code):
    """Every module of lib.rs has a layer, and every layer is a module."""
    declared = re.findall(r"\bmod\s+(\w+)\s*;", code)
    problems = [f"{shown}: module `{name}` has no layer; add it to LAYERS in scripts/check_layers.py and to the "
                "drawing in docs/architecture.md" for name in declared if name not in LAYERS]
    return problems + [f"{shown}: layer `{name}` is no module any more; remove it from LAYERS in "
                       "scripts/check_layers.py and from docs/architecture.md" for name in LAYERS if name not in declared]


def check_dependencies(root):
    manifest = root / LIBRARY / "Cargo.toml"
    table = tomllib.loads(manifest.read_text(encoding="utf-8"))
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    places = [table] + list(table.get("target", {}).values())
    names = {(spec.get("package", name) if isinstance(spec, dict) else name, kind)
             for place in places for kind in kinds for name, spec in place.get(kind, {}).items()}
    return [f"{manifest.relative_to(root)}: [{kind}] has `{name}`, which stands above the library; "
            "only it may depend on pliant, never the other way round" for name, kind in sorted(names) if name in ABOVE]


def check(root):
    return check_imports(root) + check_dependencies(root)


def self_test_cases():
    manifest = '[package]\nname = "pliant"\n[dependencies]\nrayon = "1"\n'
    cases = [  # file, its text, what the message must contain (None: no message)
        ("mesh/io.rs", "use crate::math::Vec3;\nuse crate::mesh::Mesh;\n", None),
        ("mesh/io.rs", "use crate::math::Vec3;\nuse crate::solver::Control;\n", "mesh/io.rs:2: `mesh` imports `solver`"),
        ("mesh/io.rs", "fn f() -> crate::model::State { x() }\n", "`mesh` imports `model`"),
        ("mesh/io.rs", "use crate::{\n    math::Vec3,\n    step::{Stepper, self},\n};\n",
         "mesh/io.rs:3: `mesh` imports `step`"),
        ("mesh/io.rs", "use super::super::output::Image;\n", "`mesh` imports `output`"),
        ("mesh/mod.rs", "use super::model;\n", "`mesh` imports `model`"),
        ("mesh/io.rs", "mod inner {\n    use super::super::super::device::Cpu;\n}\nuse super::Mesh;\n",
         "`mesh` imports `device`"),
        ("mesh/io.rs", "#[cfg(test)]\nmod tests {\n    use crate::step::Simulation;\n}\n",
         "mesh/io.rs:3: `mesh` imports `step`"),
        ("mesh/io.rs", "//! See [`crate::step::Simulation`].\n/* crate::step /* crate::step */ crate::step */\n", None),
        ("mesh/io.rs", 'const A: &str = "crate::step";\nconst B: &str = r#"use "crate::step""#;\nconst C: char = \'"\';\n',
         None),
        ("mesh/io.rs", "fn f<'a>(x: &'a str) -> crate::contact::Collider { '\\'' }\n", "`mesh` imports `contact`"),
        ("mesh/io.rs", "use pliant_gpu::Gpu;\n", "the library names `pliant_gpu`"),
        ("device/x.rs", "use super::Device;\nuse crate::model::Model as Frozen;\nuse crate::material;\n", None),
        ("device/x.rs", "#[macro_export]\nmacro_rules! wide { () => {} }\n", None),
        ("atomic_file.rs", "use crate::math;\n", None),
        ("atomic_file.rs", "use crate::scene::Scene;\n", "`atomic_file` imports `scene`"),
        ("lib.rs", "".join(f"pub mod {name};\n" for name in LAYERS + ["utils"]), "module `utils` has no layer"),
        ("lib.rs", "".join(f"pub mod {name};\n" for name in LAYERS[1:]), "layer `math` is no module any more"),
    ]
    dependencies = [
        (manifest, None),
        (manifest + 'pliant-gpu = { path = "../pliant-gpu" }\n', "[dependencies] has `pliant-gpu`"),
        (manifest + '[dev-dependencies]\nview = { package = "pliant-view", path = "x" }\n', "has `pliant-view`"),
        (manifest + '[target."cfg(unix)".dependencies]\npliant-cli = "1"\n', "has `pliant-cli`"),
    ]
    root = {"lib.rs": "".join(f"pub mod {name};\n" for name in LAYERS)}
    macro = {"step/m.rs": "#[macro_export]\nmacro_rules! late { () => {} }\n", "mesh/io.rs": "fn f() { crate::late!() }\n"}
    runs = [(root | {name: text}, manifest, expected) for name, text, expected in cases]
    runs += [(root, text, expected) for text, expected in dependencies]
    runs.append((root | macro, manifest, "`mesh` imports `step`"))
    return [({LIBRARY / "src" / name: text for name, text in sources.items()} | {LIBRARY / "Cargo.toml": cargo}, expected)
            for sources, cargo, expected in runs]


if __name__ == "__main__":
    checking.main(__doc__, LIBRARY / "src/lib.rs", check, self_test_cases,
                  good=f"imports run one way ({' < '.join(LAYERS)})",
                  bad=f"violations; order, low to high: {', '.join(LAYERS)}")
