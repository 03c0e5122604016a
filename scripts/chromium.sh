#!/usr/bin/env bash
# Prints where Chromium or Chrome is. Where there is none it is installed first, if apt-get may do so without a password;
# elsewhere exits with 1.
set -u
cd "$(dirname "$0")/.."

found() { command -v chromium chromium-browser google-chrome google-chrome-stable chrome 2>/dev/null | head -n 1; }

[ -n "$(found)" ] || scripts/apt.sh chromium >&2
[ -n "$(found)" ] && found
