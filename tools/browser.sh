#!/bin/sh
# Chromium for the tests of reports: Debian's, installed where it is missing and can be; otherwise says so.
command -v "${BYCHANCE_CHROMIUM:-chromium}" >/dev/null 2>&1 && exit 0
get="apt-get -qq -o Acquire::http::Timeout=20" # without a network it gives up soon
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing chromium for the tests of reports"
  export DEBIAN_FRONTEND=noninteractive
  $get update && $get install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null && exit 0
fi
echo "chromium is missing, so tests in a browser are skipped (with CI set they fail); on Debian: sudo apt-get install -y chromium" >&2
