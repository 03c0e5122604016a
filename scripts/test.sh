#!/usr/bin/env bash
# Everything that must hold before a change goes in: format, lints, layers, documents, tests, reference.
# One line per check; the output of a check that fails is shown in full. Shaders run on Mesa's software driver where there
# is no GPU; without any driver their tests are skipped, unless CI or PLIANT_REQUIRE_GPU is set.
set -uo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() {
    local name=$1 begun=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf 'ok    %s (%d s)\n' "$name" $((SECONDS - begun))
    else
        printf 'FAIL  %s: %s\n' "$name" "$*"
        # What failed comes first: a long log is often cut.
        grep -E '^test .* FAILED$|^error|panicked at' -A 1 "$log" | grep -vE '^(--|test .* ok$|note:|$)' | head -60
        printf '\n'
        grep -vE '^ +(Compiling|Downloaded|Downloading|Running) |^test .* ok$|^test result: ok|^running|^$' "$log"
        exit 1
    fi
}

# A check whose tool is not there.
missing() {
    [ -z "${CI:-}" ] || { printf 'FAIL  %s: %s\n' "$1" "$2"; exit 1; }
    printf 'skip  %s: %s\n' "$1" "$2"
}

if $cargo fmt --version >/dev/null 2>&1; then
    check "format" $cargo fmt --all --check
else
    missing "format" "rustup component add rustfmt"
fi
if command -v python3 >/dev/null; then
    check "checks of checks" sh -c \
        'python3 scripts/check_layers.py --self-test && python3 scripts/check_docs.py --self-test'
    check "layers" python3 scripts/check_layers.py
    check "documents" python3 scripts/check_docs.py
else
    missing "layers and documents" "python3 is not there"
fi
page=crates/pliant-view/page
npm_is_there() { command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)'; }
# The programs below are built with it.
if npm_is_there; then
    check "page" make --no-print-directory page
    check "tests of the page" npm --prefix "$page" test --silent
else
    missing "page" "install Node.js 20 or newer with npm"
fi
check "program without its page" scripts/page_missing.sh
if $cargo clippy --version >/dev/null 2>&1; then
    check "lints" $cargo clippy --workspace --all-targets --quiet -- -D warnings
else
    missing "lints" "rustup component add clippy"
fi
if [ -n "${CI:-}${PLIANT_REQUIRE_GPU:-}" ]; then
    check "Vulkan driver" scripts/vulkan.sh
    export PLIANT_REQUIRE_GPU=1
elif scripts/vulkan.sh >"$log" 2>&1; then
    export PLIANT_REQUIRE_GPU=1
else
    echo "skip  shaders:"
    cat "$log"
fi
# Runs that are killed before each of their system calls.
if [ -n "${CI:-}" ] && [ "$(uname)" = Linux ] && ! command -v strace >/dev/null; then
    check "strace" scripts/apt.sh strace
fi
# Mesa's layer that orders GPUs complains where there is no desktop.
export NODEVICE_SELECT=1
check "tests" $cargo test --workspace --no-fail-fast
# The total, in one line that a person or a CI system can read.
awk '/^test result:/ { passed += $4; failed += $6; ignored += $8 } END { print passed " passed, " failed " failed, " ignored " skipped" }' "$log"
if npm_is_there && scripts/chromium.sh >"$log" 2>&1; then
    check "page in a browser" env PLIANT_CHROMIUM="$(scripts/chromium.sh)" npm --prefix "$page" run --silent test:browser
else
    missing "page in a browser" "install Chromium and Node.js"
fi
RUSTDOCFLAGS="-D warnings" check "reference" $cargo doc --workspace --no-deps --quiet
