#!/bin/sh
# Install Debian's Chromium with its driver for the tests of the report, which are skipped without it.
set -eu
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    echo "chromium and chromedriver are there"
elif [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver
else
    echo "Not installed: this needs root and apt-get. The tests in a browser will be skipped." >&2
fi
