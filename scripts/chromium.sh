#!/usr/bin/env bash
# Prints where Chromium or Chrome is; in CI installs it first where apt-get may do so. Exits with 1 where there is none.
set -u
cd "$(dirname "$0")/.."

found() { command -v chromium chromium-browser google-chrome google-chrome-stable chrome 2>/dev/null | head -n 1; }

[ -n "$(found)" ] || [ -z "${CI:-}" ] || scripts/apt.sh chromium >&2
[ -n "$(found)" ] && found
