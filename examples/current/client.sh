#!/usr/bin/env bash
# A client of the current form: "shortlist" pages through all artists, "poll" prints newly added ones.
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
  --page-size N       artists per page (100)
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
page_size=100
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
    --page-size) page_size=$2 ;;
    --polls) polls=$2 ;;
    --wait-factor) factor=$2 ;;
    *) fail "Unknown option: $1. See --help." ;;
  esac
  shift 2
done

[ -n "${ARTIST_API_KEY:-}" ] || fail 'ARTIST_API_KEY is not set: it holds your key.'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wait_seconds() {
  sleep "$(awk -v seconds="$1" -v factor="$factor" 'BEGIN { print seconds * factor }')"
}

header() {
  tr -d '\r' <"$work/headers" | sed -n "s/^$1: //Ip" | tail -n 1
}

# region ask
# Sends a request; after 429 or 503 waits for Retry-After and sends it again. Sets $status; the body is in $work/body.
# Headers go through standard input: other users of the machine can read command lines.
ask() {
  while true; do
    status=$(printf 'Authorization: Bearer %s\n%s\n' "$ARTIST_API_KEY" "${2:+If-None-Match: $2}" |
      curl -s --max-time 30 -H @- -D "$work/headers" -o "$work/body" -w '%{http_code}' "$url$1") || fail "No answer from $url."
    check_form
    case $status in
      200 | 304) return ;;
      429 | 503)
        local seconds
        seconds=$(header Retry-After)
        echo "$status: waiting ${seconds:-60} s" >&2
        wait_seconds "${seconds:-60}"
        ;;
      *) echo "$status $(cat "$work/body")" >&2; exit 1 ;;
    esac
  done
}
# endregion

# Ends with one line when the key answers in the other form.
check_form() {
  local form
  form=$(tr -d '\r' <"$work/headers" | sed -n 's/^X-Envelope-Served: //Ip' | tail -n 1)
  [ "$status" = 401 ] || [ "${form:-current}" = current ] || fail "This key answers in the $form form: use examples/$form."
}

show() {
  cat "$work/body"
  echo
}

# region shortlist
shortlist() {
  local cursor=''
  while true; do
    ask "/api/v1/artists?limit=$page_size${cursor:+&cursor=$cursor}"
    show
    cursor=$(sed -n 's/.*"next_cursor":"\([A-Za-z0-9_-]*\)".*/\1/p' "$work/body")
    [ -n "$cursor" ] || return 0
  done
}
# endregion

# region poll
# Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a body.
poll() {
  local tag='' turn=1
  while true; do
    ask '/api/v1/added?days=1' "$tag"
    [ "$status" = 304 ] || show
    tag=$(header ETag)
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
