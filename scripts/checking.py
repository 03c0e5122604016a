"""What the check scripts share: their command line, and self-tests on repositories made for the purpose."""

import sys
import tempfile
from pathlib import Path


def self_test(name, check, cases):
    """Each case: text by file name, and what the only message must contain (None: no message)."""
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for file, text in ((Path(folder) / file, text) for file, text in files.items()):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            problems = check(Path(folder))
        right = not problems if expected is None else len(problems) == 1 and expected in problems[0]
        assert right, f"{files}:\nexpected {expected}, found {problems}"
    print(f"{name}: self-test passed ({len(cases)} cases)")


def main(usage, needed, check, cases, good, bad):
    """Runs `check` on a repository, which has the file `needed`, or the self-test; exits with 0, 1 or 2 (bad usage)."""
    arguments, name = sys.argv[1:], Path(sys.argv[0]).stem
    if arguments == ["--self-test"]:
        sys.exit(self_test(name, check, cases()))
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(usage, file=sys.stderr)
        sys.exit(2)
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not (root / needed).is_file():
        print(f"{root}: has no {needed}; give the root of the repository", file=sys.stderr)
        sys.exit(2)
    problems = check(root)
    print(*problems, f"{name}: {len(problems)} {bad}" if problems else f"{name}: {good}", sep="\n",
          file=sys.stderr if problems else sys.stdout)
    sys.exit(1 if problems else 0)
