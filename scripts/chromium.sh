#!/usr/bin/env bash
# Prints where Chromium or Chrome is. Installs it first where apt-get may do so without a password; elsewhere says what to
# install and exits with 1.
set -u
cd "$(dirname "$0")/.."

found() { command -v chromium chromium-browser google-chrome google-chrome-stable chrome 2>/dev/null | head -n 1; }

[ -n "$(found)" ] || scripts/apt.sh chromium >&2
[ -n "$(found)" ] && found && exit 0
cat >&2 <<'HELP'
There is no Chromium, so the viewer's page cannot be tested in a browser. Install it:
  Debian           sudo apt-get install chromium
  Ubuntu           sudo snap install chromium
  Fedora           sudo dnf install chromium
  Arch             sudo pacman -S chromium
HELP
exit 1
