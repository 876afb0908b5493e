#!/bin/sh
# Chromium for the tests of reports: Debian's, installed where it is missing and can be; otherwise says so.
command -v "${BYCHANCE_CHROMIUM:-chromium}" >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing chromium for the tests of reports"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null && exit 0
fi
echo "chromium is missing, so tests in a browser are skipped; on Debian: sudo apt-get install -y chromium" >&2
