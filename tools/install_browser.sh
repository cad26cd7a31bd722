#!/bin/sh
# Install Debian's Chromium with its driver, and Node, for the page tests, which are skipped without them.
set -eu
if command -v chromium >/dev/null && command -v chromedriver >/dev/null && command -v node >/dev/null; then
    echo "chromium, chromedriver and node are already installed"
elif [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver nodejs
else
    echo "Not installed: this needs root and apt-get. The page tests will be skipped." >&2
fi
