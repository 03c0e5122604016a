#!/usr/bin/env bash
# Sees to it that there is a Vulkan driver to run shaders on: Mesa's lavapipe, which needs no GPU. Installs it where apt-get
# may do so without a password; elsewhere says what to install and exits with 1. macOS and Windows bring what is needed.
set -u
PATH=$PATH:/usr/sbin:/sbin

[ "$(uname)" = Linux ] || exit 0

has_driver() {
    local place
    ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || return 1
    [ -z "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] || return 0
    for place in /usr/share /usr/local/share /etc "$HOME/.local/share"; do
        compgen -G "$place/vulkan/icd.d/*.json" >/dev/null && return 0
    done
    return 1
}

has_driver && exit 0

"$(dirname "$0")/apt.sh" mesa-vulkan-drivers libvulkan1
has_driver && exit 0
cat <<'HELP'
There is no Vulkan driver, so shaders cannot be tested. Install one; this one needs no GPU:
  Debian, Ubuntu   sudo apt-get install mesa-vulkan-drivers libvulkan1
  Fedora           sudo dnf install mesa-vulkan-drivers vulkan-loader
  Arch             sudo pacman -S vulkan-swrast vulkan-icd-loader
HELP
exit 1
