#!/usr/bin/env bash
# Runs a program on the GPU of an NVIDIA host without a desktop. There the stock Vulkan driver file often names the GLX
# library, which fails without X ("Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr'"), and `pliant devices`
# lists no GPU. This points the Vulkan loader at NVIDIA's EGL library instead.
#
#   scripts/headless-nvidia.sh [--loader-dir DIR] PROGRAM [ARGUMENT...]
#   scripts/headless-nvidia.sh target/release/pliant run scenes/drape.toml --device gpu
#
# DIR holds libvulkan.so.1 where the host has no Vulkan loader of its own (package libvulkan1).
set -eu
PATH=$PATH:/usr/sbin:/sbin
usage() { echo "usage: headless-nvidia.sh [--loader-dir DIR] PROGRAM [ARGUMENT...]" >&2; exit 2; }

loader=
if [ "${1:-}" = --loader-dir ]; then
    [ $# -ge 2 ] || usage
    loader=$2
    shift 2
fi
[ $# -ge 1 ] || usage

egl=$(ldconfig -p 2>/dev/null | sed -n 's/.*libEGL_nvidia\.so\.0.*=> //p' | head -n 1)
[ -n "$egl" ] || egl=$(find /usr -name libEGL_nvidia.so.0 2>/dev/null | head -n 1)
if [ -z "$egl" ]; then
    echo "headless-nvidia.sh: there is no libEGL_nvidia.so.0 here; install NVIDIA's driver with its graphics libraries" >&2
    exit 4
fi
driver=$(mktemp --suffix .json)
trap 'rm -f "$driver"' EXIT
printf '{"file_format_version":"1.0.0","ICD":{"library_path":"%s","api_version":"1.3.0"}}\n' "$egl" >"$driver"
export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver
export LD_LIBRARY_PATH="${loader:+$loader:}$(dirname "$egl")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$@"
