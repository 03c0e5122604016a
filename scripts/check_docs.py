#!/usr/bin/env python3
"""Checks that the documents speak of things that exist.

    python3 scripts/check_docs.py [ROOT]       exit 1 if a document names something that is not there
    python3 scripts/check_docs.py --self-test  proves that mistakes are caught

In every *.md file of the repository: relative links and pictures resolve, and so do anchors; scenes/*.toml exist; paths
in code quotes exist (from the root, or from crates/pliant/src); method names are those of solver/method.rs.
docs/methods.md names every method.
"""

import os
import re
from pathlib import Path

import checking

METHODS_FILE = Path("crates/pliant/src/solver/method.rs")
LIBRARY_SOURCE = Path("crates/pliant/src")
GUIDE = Path("docs/methods.md")
SKIPPED_FOLDERS = {"target", "out", "carry", "node_modules"}

METHOD_IN_CODE = re.compile(r'(?:\b(?:pd|pbd|energy)\(\s*(?:Kind::\w+(?:\([\w:]+\))?,\s*)?|\baccelerated\(\s*(?:\w+|energy\([^)]*\)),\s*|\bname:\s*)"([a-z-]+)"')
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"([^\"]+)\"")
SCENE = re.compile(r"\bscenes/[\w.-]*?\.toml\b")
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^(?:(?:crates|docs|scenes|scripts|benches)/[\w./-]+|[a-z_0-9]+(?:/[a-z_0-9]+)*\.rs"
                  r"|[a-z_0-9]+(?:/[a-z_0-9]+)+/)$")
METHOD_QUOTED = re.compile(r"^(?:pd|pbd|xpbd)(?:-[a-z-]+)?$")
METHOD_CHOSEN = re.compile(r"--methods?[ =]([a-z][a-z,-]*)|\bmethod ?= ?\"([^\"]+)\"")


def documents(root):
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if name not in SKIPPED_FOLDERS and not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(names) if name.endswith(".md"))


def anchors(text):
    """The anchors that GitHub gives to the headings of a document."""
    found, fenced = set(), False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (match := re.match(r"#{1,6}\s+(.*)", line)):
            plain = re.sub(r"[^\w\- ]", "", match[1].strip().lower())
            found.add(plain.replace(" ", "-"))
    return found


def check_links(root, document, line):
    for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
        target = match[1] or match[2]
        if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path) if path else document
        if not file.exists():
            yield f"the link to `{target}` leads nowhere; expected a file at {os.path.relpath(file, root)}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"`{target}`: {os.path.relpath(file, root)} has no heading with the anchor #{anchor}"


def check_names(root, line, methods):
    for scene in SCENE.findall(line):
        if not (root / scene).is_file():
            yield f"`{scene}` does not exist; scenes are in scenes/"
    named = []
    for quoted in QUOTED.findall(line):
        if PATH.match(quoted) and not SCENE.fullmatch(quoted) and "NAME" not in quoted:
            if not (root / quoted).exists() and not (root / LIBRARY_SOURCE / quoted).exists():
                yield f"`{quoted}` does not exist, neither from the root nor from {LIBRARY_SOURCE}"
        if METHOD_QUOTED.match(quoted):
            named.append(quoted)
    for several, one in METHOD_CHOSEN.findall(line):
        named += [name for name in (several or one).split(",") if name]
    for name in named:
        if name not in methods:
            yield f"`{name}` is no method; {METHODS_FILE} has {', '.join(methods)}"


def check(root):
    methods = METHOD_IN_CODE.findall((root / METHODS_FILE).read_text(encoding="utf-8"))
    problems = [] if methods else [f"{METHODS_FILE}: no method found; METHOD_IN_CODE in scripts/check_docs.py is out of date"]
    for document in documents(root):
        text = document.read_text(encoding="utf-8")
        shown, fenced = document.relative_to(root), False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            found = list(check_names(root, line, methods)) + ([] if fenced else list(check_links(root, document, line)))
            problems += [f"{shown}:{number}: {problem}" for problem in found]
    if (root / GUIDE).is_file():
        guide = (root / GUIDE).read_text(encoding="utf-8")
        problems += [f"{GUIDE}: says nothing about the method `{name}`" for name in methods if f"`{name}`" not in guide]
    return problems


def self_test_cases():
    code = 'const A: Method = pd("pd-jacobi", "x", 1, "y");\naccelerated(A, "pd-jacobi-chebyshev", 2, "");\nname: "newton",\n'
    guide = "`pd-jacobi` `pd-jacobi-chebyshev` `newton`\n"
    cases = [  # text of README.md, what the message must contain (None: no message)
        ("# Title\n[a](docs/methods.md) [b](#title) ![c](docs/methods.md) [d](https://x.org/y)\n", None),
        ("[a](docs/other.md)\n", "README.md:1: the link to `docs/other.md` leads nowhere"),
        ('<img src="docs/img/x.png">\n', "`docs/img/x.png` leads nowhere"),
        ("[a](docs/methods.md#nowhere)\n", "has no heading with the anchor #nowhere"),
        ("```\npliant run scenes/gone.toml\n```\n", "README.md:2: `scenes/gone.toml` does not exist"),
        ("```\npliant run scenes/flag.toml\n```\n", None),
        ("use `pd-magic`\n", "`pd-magic` is no method"),
        ("```\npliant compare scenes/flag.toml --methods newton,pd-magic\n```\n", "`pd-magic` is no method"),
        ('```toml\nmethod = "pd-jacobi"\n```\n', None),
        ('```toml\nmethod = "gauss"\n```\n', "`gauss` is no method"),
        ("`solver/method.rs` and `crates/pliant/src/solver/NAME.rs`\n", None),
        ("`solver/gone.rs`\n", "`solver/gone.rs` does not exist"),
    ]
    runs = [({"README.md": text, "docs/methods.md": guide}, expected) for text, expected in cases]
    runs.append(({"docs/methods.md": "`pd-jacobi` `newton`\n"}, "says nothing about the method `pd-jacobi-chebyshev`"))
    return [({METHODS_FILE: code, "scenes/flag.toml": ""} | files, expected) for files, expected in runs]


if __name__ == "__main__":
    checking.main(__doc__, METHODS_FILE, check, self_test_cases,
                  good="every link, path, scene and method in the documents exists", bad="mistakes")
