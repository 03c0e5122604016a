#!/usr/bin/env bash
# Installs packages where apt-get may do so without a password; elsewhere exits with 1.
#
#   scripts/apt.sh PACKAGE...
set -u
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
command -v apt-get >/dev/null && $as_root true 2>/dev/null || exit 1
install="env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
$as_root $install "$@" || { $as_root apt-get update && $as_root $install "$@"; }
