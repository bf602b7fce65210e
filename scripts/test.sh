#!/usr/bin/env bash
# Installs what the tests need where it is missing, then checks and tests everything.
#   ./scripts/test.sh                everything
#   ./scripts/test.sh faults         the fault tests only
#   ./scripts/test.sh --node 22      the everyday tests only, on this line of Node (its binary comes from npm)
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install COMMAND DEBIAN_PACKAGE HOMEBREW_PACKAGE [SERVICE]: SERVICE is what the Debian package would keep running
install() {
  if command -v "$1" >/dev/null; then return; fi
  if command -v apt-get >/dev/null; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq "$2"
    if [ -n "${4:-}" ] && [ -d /run/systemd/system ]; then as_root systemctl disable --now --quiet "$4"; fi
  elif command -v brew >/dev/null; then
    brew install "$3"
  else
    echo "$1 is missing: install it with your system's package manager, then run this again." >&2
    exit 1
  fi
}

install redis-server redis-server redis redis-server
install promtool prometheus prometheus prometheus
install python3 python3 python
install curl curl curl
install "${CHROMIUM:-chromium}" chromium chromium
install openssl openssl openssl
install tmux tmux tmux
install nginx nginx nginx
if [ "$(uname)" = Linux ]; then
  install systemd-analyze systemd systemd
  install faketime faketime faketime
fi

what="${1:-everything}"
if [ "$what" = "--node" ]; then
  line="${2:?name a line of Node: --node 22}"
  package="node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')"
  folder="$(mktemp -d)"
  trap 'rm -rf "$folder"' EXIT
  npm install --prefix "$folder" --no-audit --no-fund "$package@$line"
  export PATH="$folder/node_modules/$package/bin:$PATH"
  node --version
fi

npm ci # builds too
npm ci --prefix test/support/mongodb
if [ "$what" = "--node" ]; then
  npm test
  exit
fi
if [ "$what" != "faults" ]; then
  npm run check
  npm test
  npm ci --prefix contracts
  npm test --prefix contracts
  npm ci --prefix bench
  npm run check --prefix bench
  npm run test:deploy
fi
npm run test:faults
