#!/bin/sh
# Says which of python3 (with venv and headers) and a C++ compiler are missing, and how to get them on Debian.
python=${1:-python3}
missing=""
if ! command -v "$python" >/dev/null 2>&1; then
  missing=" python3 python3-venv python3-dev"
else
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "bychance needs Python 3.11 or newer; $python is $("$python" --version 2>&1). Set PYTHON=/path/to/python3.11." >&2
    exit 1
  }
  "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
    missing="$missing python3-dev"
fi
command -v "${CXX:-c++}" >/dev/null 2>&1 || missing="$missing g++"
if [ -n "$missing" ]; then
  echo "missing:$missing" >&2
  echo "on Debian or Ubuntu: sudo apt-get install -y$missing" >&2
  exit 1
fi
