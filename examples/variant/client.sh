#!/usr/bin/env bash
# A client of the variant form: "shortlist" reads all artists, "poll" prints newly added ones.
#
#   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… ./client.sh shortlist
#   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… ./client.sh poll
#
# Needs bash and curl. Prints every response as one line of JSON, for a tool like jq.
set -euo pipefail

usage() {
  cat <<'USAGE'
client.sh shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL (http://127.0.0.1:3000)
  --polls N           stop after N polls
  --wait-factor N     multiplies every wait: 0.01 to try the client out
  --help

The key is read from the variable ARTIST_API_KEY.
USAGE
}

fail() {
  echo "$1" >&2
  exit 1
}

command=${1:-}
url=${ARTIST_API_URL:-http://127.0.0.1:3000}
polls=0 # 0: poll forever
factor=1 # multiplies every wait: 0.01 to try the client out
shift || true
case $command in
  --help) usage; exit 0 ;;
  shortlist | poll) ;;
  *) fail 'Give a command: shortlist or poll. See --help.' ;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --base-url) url=${2%/} ;;
    --polls) polls=$2 ;;
    --wait-factor) factor=$2 ;;
    *) fail "Unknown option: $1. See --help." ;;
  esac
  shift 2
done

[ -n "${ARTIST_API_KEY:-}" ] || fail 'ARTIST_API_KEY is not set: it holds your key.'
max_artists=200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wait_seconds() {
  sleep "$(awk -v seconds="$1" -v factor="$factor" 'BEGIN { print seconds * factor }')"
}

# region ask
# Sends a request; after 429, or 500 with Retry-After, waits and sends it again. The body is in $work/body.
# The key goes through standard input: other users of the machine can read command lines.
ask() {
  local status seconds
  while true; do
    status=$(printf 'Authorization: Bearer %s\n' "$ARTIST_API_KEY" |
      curl -s --max-time 30 -H @- -D "$work/headers" -o "$work/body" -w '%{http_code}' "$url$1") || fail "No answer from $url."
    check_form
    [ "$status" != 200 ] || return 0
    seconds=$(tr -d '\r' <"$work/headers" | sed -n 's/^Retry-After: //Ip' | tail -n 1)
    if [ -z "$seconds" ]; then
      echo "$status $(cat "$work/body")" >&2
      exit 1
    fi
    echo "$status: waiting $seconds s" >&2
    wait_seconds "$seconds"
  done
}
# endregion

# Ends with one line when the key answers in the other form.
check_form() {
  local form
  form=$(tr -d '\r' <"$work/headers" | sed -n 's/^X-Envelope-Served: //Ip' | tail -n 1)
  [ "$status" = 401 ] || [ "${form:-variant}" = variant ] || fail "This key answers in the $form form: use examples/$form."
}

show() {
  cat "$work/body"
  echo
}

# region shortlist
# This form has no pages: a list as long as its limit may be truncated.
shortlist() {
  ask "/api/v1/artists?fields=basic&limit=$max_artists"
  show
  if grep -q "\"count\":$max_artists," "$work/body"; then
    echo 'There may be more artists: ask by tier, or for a key of the current form.' >&2
  fi
}
# endregion

# region poll
# Polls every 15 minutes: 4 of the 100 requests an hour. Prints a response only if its artists changed.
poll() {
  local last='' now turn=1
  while true; do
    ask "/api/v1/artists?new=1&fields=basic&limit=$max_artists"
    now=$(sed 's/,"_meta":.*//' "$work/body")
    [ "$now" = "$last" ] || show
    last=$now
    [ "$turn" != "$polls" ] || return 0
    turn=$((turn + 1))
    wait_seconds 900
  done
}
# endregion

case $command in
  shortlist) shortlist ;;
  poll) poll ;;
esac
