#!/usr/bin/env bash
# Installs programs that the tests need and that are missing, then checks and tests everything. On a terminal it prompts before it
# installs, except with --yes as the first argument and in CI.
# docs/contributing.md, "Test", has the arguments: faults, mongodb (on the servers in MONGODB_SERVERS), schemathesis, generators. And:
#   ./scripts/test.sh --node 22   everyday tests, on this line of Node
set -euo pipefail
cd "$(dirname "$0")/.."
# Tests install the product: use npm's cache.
export npm_config_prefer_offline=true npm_config_audit=false npm_config_fund=false

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

missing="" debian="" brew=""
# need COMMAND [DEBIAN_PACKAGE [HOMEBREW_PACKAGE]]: packages, if their names differ
need() {
  if command -v "$1" >/dev/null; then return; fi
  missing+=" $1" debian+=" ${2:-$1}" brew+=" ${3:-${2:-$1}}"
}

install_missing() {
  if [ -z "$missing" ]; then return; fi
  local answer install package
  if command -v apt-get >/dev/null; then
    install="apt-get install --yes --quiet$debian"
  elif command -v brew >/dev/null; then
    install="brew install$brew"
  else
    echo "Missing:$missing. Install them with your system's package manager, then run this again." >&2
    exit 1
  fi
  printf 'Missing:%s\nTo install them: %s\n' "$missing" "$install"
  if [ -t 0 ] && [ -t 1 ] && [ -z "$yes" ] && [ -z "${CI:-}" ]; then
    read -r -p 'Run this now? [y/N] ' answer
    case $answer in [yY]*) ;; *) echo "Nothing was installed."; exit 1 ;; esac
  fi
  case $install in brew*) $install; return ;; esac
  as_root apt-get update --quiet
  as_root $install
  for package in $debian; do # some start a service
    as_root systemctl disable --now --quiet "$package" 2>/dev/null || true
  done
}

yes=""
if [ "${1:-}" = "--yes" ]; then
  yes=yes
  shift
fi
what="${1:-everything}"

for command in curl jq openssl tmux nginx; do need "$command"; done
need "${CHROMIUM:-chromium}" chromium
need redis-server redis-server redis
need python3 python3 python
need promtool prometheus
need php php-cli php
need timeout coreutils
if [ "$(uname)" = Linux ]; then
  need systemd-analyze systemd
  need faketime
fi
if [ "$what" = "generators" ]; then
  need javac default-jdk openjdk
  need mvn maven
  need go golang go
fi
install_missing

if [ "$what" = "--node" ]; then
  line="${2:?name a line of Node: --node 22}"
  package="node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')"
  folder="$(mktemp -d)"
  trap 'rm -rf "$folder"' EXIT
  npm install --prefix "$folder" "$package@$line"
  export PATH="$folder/node_modules/$package/bin:$PATH"
  node --version
  npm ci # builds too
  npm ci --prefix test/support/mongodb
  npm test
  exit
fi

logs="$(mktemp -d)"
names=()
running=()
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$logs"' EXIT

python_packages() {
  python3 -m venv "$1/venv" && "$1/venv/bin/pip" install --quiet --requirement "$1/requirements.txt"
}
export -f python_packages

# begin NAME MINUTES COMMAND: runs COMMAND next to the others, at most MINUTES
begin() {
  timeout --kill-after=10s "$2m" bash -c "$3" >"$logs/$1" 2>&1 </dev/null &
  running+=($!)
  names+=("$1")
  echo "$1 …"
}

show() {
  printf '\n──── %s\n\n' "$1"
  cat "$logs/$1"
}

# Waits for the commands, prints their output, the output of failed ones at the end, and fails if one of them failed.
finish() {
  local index name status failed=""
  for index in "${!running[@]}"; do
    status=0
    wait "${running[$index]}" || status=$?
    if [ "$status" -eq 124 ]; then echo "It did not end in time." >>"$logs/${names[$index]}"; fi
    if [ "$status" -eq 0 ]; then show "${names[$index]}"; else failed="$failed ${names[$index]}"; fi
  done
  for name in $failed; do show "$name"; done
  running=()
  names=()
  printf '\n──── after %s s, failed:%s\n\n' "$SECONDS" "${failed:- nothing}"
  [ -z "$failed" ]
}

begin packages 10 'npm ci' # builds too
if [ "$what" = "generators" ]; then
  finish
  begin generators 90 'npx tsx contracts/generators/run.ts'
  finish
  exit
fi
begin mongodb 10 'npm ci --prefix test/support/mongodb'
if [ "$what" = "everything" ]; then # before the check, which reads all folders of packages
  begin contracts-packages 10 'npm ci --prefix contracts'
  begin bench-packages 10 'npm install --prefix bench'
fi
if [ "$what" = "mongodb" ] || [ "$what" = "schemathesis" ]; then
  begin python-packages 10 'python_packages test/support/python'
  finish
fi
if [ "$what" = "schemathesis" ]; then
  begin schemathesis 20 'npx tsx test/support/python/run-schemathesis.ts'
  finish
  exit
fi
if [ "$what" = "mongodb" ]; then
  # One after the other: each server has both cores. All of them run, then the script fails.
  status=0
  for server in $(echo "${MONGODB_SERVERS:-jongodb,secantus}" | tr ',' ' '); do
    on="TEST_MONGODB_URL= TEST_MONGODB_SERVER=$server"
    # test/mongodb tests what jongodb lacks
    without="$([ "$server" = jongodb ] && echo "-- --ignore 'test/mongodb/**'" || true)"
    begin "$server" 30 "$on npm run test:mongodb $without"
    finish || status=1
    if [ "$server" != jongodb ]; then
      # Alone: Node drops source maps of modules that another test file loaded before.
      begin "$server-explain" 10 "$on npm run test:explain"
      finish || status=1
    fi
  done
  exit "$status"
fi
finish

# Each group uses both cores until it ends.
if [ "$what" != "faults" ]; then
  begin everyday 30 'EXAMPLE_RUNS=all FUZZ_RUNS=2000 npm test'
  begin contracts 20 'npm test --prefix contracts'
  kubernetes=test/support/kubernetes
  begin manifests 10 "python_packages $kubernetes && $kubernetes/venv/bin/kubernetes-validate --strict deploy/kubernetes/*.yaml"
  begin check 15 'npm run check && npm run check --prefix bench'
  finish
  begin deploy 30 'npm run test:deploy'
fi
begin faults 30 'npm run test:faults'
finish
