#!/usr/bin/env bash
# Installs what the tests need where it is missing, then checks and tests everything.
# With the argument "faults", runs the fault tests only.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v redis-server >/dev/null; then
  if command -v apt-get >/dev/null; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq redis-server
  elif command -v brew >/dev/null; then
    brew install redis
  else
    echo "redis-server is missing: install Redis with your system's package manager, then run this again." >&2
    exit 1
  fi
fi

npm ci
npm run build
if [ "${1:-everything}" != "faults" ]; then
  npm run check
  npm test
fi
npm run test:faults
