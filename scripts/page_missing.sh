#!/usr/bin/env bash
# Runs the build script of the viewer where there is no page, as Cargo would: the program builds all the same, and its page
# says how to get the real one. Compiles nothing but that script.
set -euo pipefail
cd "$(dirname "$0")/../crates/pliant-view"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${RUSTC:-rustc}" --edition 2024 -o "$folder/build" build.rs

# What was built comes from here; without `page/dist` nothing has been built before.
mkdir "$folder/page" "$folder/out"
(cd page && cp -r index.html package.json package-lock.json tsconfig.json vite.config.ts src "$folder/page")

# expect WORD VARIABLE=VALUE...: the script succeeds, warns, and leaves a page with the word and with what to do.
expect() {
    local word=$1 page="$folder/out/page.html"
    shift
    rm -f "$page"
    env CARGO_MANIFEST_DIR="$folder" OUT_DIR="$folder/out" "$@" "$folder/build" >"$folder/said"
    for text in "$word" "make page"; do
        grep -q "$text" "$page" || { echo "the page without a page does not say '$text':"; cat "$page"; exit 1; }
    done
    grep -q "^cargo:warning=.*$word" "$folder/said" || { echo "nobody is told of it:"; cat "$folder/said"; exit 1; }
}

expect "PLIANT_NO_PAGE is set" PLIANT_NO_PAGE=1
expect "npm is not there" PLIANT_NO_PAGE= PATH="$folder"
