#!/usr/bin/env bash
# A client of the current form: "shortlist" pages through all artists, "poll" prints newly added ones.
#
#   ARTIST_API_KEY=aik_… bash client.sh shortlist
#   ARTIST_API_KEY=aik_… bash client.sh poll
#
# Needs bash, curl and awk. Prints one artist per line: identifier and name. See --help.
# SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
set -euo pipefail

url=${ARTIST_API_URL:-http://127.0.0.1:3000}
page_size=100
polls=0 # 0: poll forever
attempts=5
timeout=30 # seconds
factor=1 # multiplies every wait: 0.01 to try the client out
waits='' # whether a quota is waited for however long it takes

usage() {
  cat <<USAGE
client.sh shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL ($url)
  --page-size N       artists per page (100)
  --polls N           stop after N polls
  --timeout N         seconds to wait for an answer (30)
  --wait              wait for a quota however long it takes, not for at most 5 minutes
  --wait-factor N     multiplies every wait: 0.01 to try the client out
  --help

The key is read from the variable ARTIST_API_KEY.
USAGE
}

# Ends the program with one line.
end() {
  printf '%s' "$1" | tr -s '\n\r\t ' ' ' | cut -c 1-300 >&2
  exit 1
}

command=${1:-}
shift || true
case $command in
  --help) usage; exit 0 ;;
  shortlist | poll) ;;
  *) end 'Give a command: shortlist or poll. See --help.' ;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --base-url) url=${2%/} ;;
    --page-size) page_size=$2 ;;
    --polls) polls=$2 ;;
    --timeout) timeout=$2 ;;
    --wait-factor) factor=$2 ;;
    --wait) waits=1; shift; continue ;;
    *) end "Unknown option: $1. See --help." ;;
  esac
  shift 2
done

[ -n "${ARTIST_API_KEY:-}" ] || end 'ARTIST_API_KEY is not set: it holds your key.'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/seen"

wait_seconds() {
  sleep "$(awk -v seconds="$1" -v factor="$factor" 'BEGIN { print seconds * factor }')"
}

header() {
  tr -d '\r' <"$work/headers" | sed -n "s/^$1: //Ip" | tail -n 1
}

# Sends one request. Sets $status; the body is in $work/body. Fails where no whole answer came.
# Headers go through standard input: other users of the machine can read command lines.
send() {
  : >"$work/headers"
  status=$(printf 'Authorization: Bearer %s\n%s' "$ARTIST_API_KEY" "${2:+If-None-Match: $2}" |
    curl -sS --max-time "$timeout" -H @- -D "$work/headers" -o "$work/body" -w '%{http_code}' "$url$1" 2>"$work/error")
}

# Tells once that the key ends within 30 days.
warned=''
warn_of_expiry() {
  local expires until
  expires=$(header X-Key-Expires)
  [ -z "$warned" ] && [ -n "$expires" ] || return 0
  until=$(date -u -d "$expires" +%s 2>/dev/null || date -u -j -f '%a, %d %b %Y %H:%M:%S GMT' "$expires" +%s)
  [ $((until - $(date -u +%s))) -lt $((30 * 86400)) ] || return 0
  warned=1
  echo "This key expires on $expires: ask for a new one." >&2
}

# Sends a request up to 5 times: after 429, 5xx or half an answer waits for Retry-After, else longer each time.
ask() {
  local attempt reason seconds form until
  for ((attempt = 1; ; attempt++)); do
    seconds=''
    if send "$@"; then
      form=$(header X-Envelope-Served)
      [ "$status" = 401 ] || [ "${form:-current}" = current ] || end "This key answers in the variant form: use $url/docs/clients/variant.sh."
      warn_of_expiry
      case $status in
        304) return ;;
        200)
          [ "$(head -c 1 "$work/body")" != '{' ] || return 0
          reason="No answer from $url: not JSON"
          ;;
        429 | 5??)
          reason=$status
          seconds=$(header Retry-After)
          ;;
        *) end "$status $(cat "$work/body")" ;;
      esac
    else
      reason="No answer from $url: $(cat "$work/error")"
    fi
    if [ "$attempt" = "$attempts" ]; then
      [ "$reason" != "$status" ] || reason="$status $(cat "$work/body")"
      end "Gave up after $attempt attempts. $reason"
    fi
    case $seconds in
      '' | *[!0-9]*) seconds=$(awk -v power="$attempt" -v random="$RANDOM" 'BEGIN { printf "%.1f", 2 ^ power * (0.5 + random / 65536) }') ;;
    esac
    if [ "$reason" = 429 ] && [ "${seconds%.*}" -gt 300 ]; then
      until=$(($(date -u +%s) + seconds))
      until=$(date -u -d "@$until" +%FT%TZ 2>/dev/null || date -u -r "$until" +%FT%TZ)
      reason="The quota of $(header X-RateLimit-Day-Limit) requests a day is spent until $until"
      [ -n "$waits" ] || end "$reason: run this again then, or with --wait."
    fi
    echo "$reason: waiting $seconds s" >&2
    wait_seconds "$seconds"
  done
}

# Prints identifier and name of every object directly in "data", without a parser of JSON: splits it into texts, brackets and the rest.
show() {
  grep -oE '"([^"\\]|\\.)*"|[][{}]|[^][{}"]+' "$work/body" | awk '
    /^[][{}]$/ { depth += /[[{]/ ? 1 : -1; is_value = 0; next }
    depth != 3 { next }
    /^"/ && is_value { value[name] = substr($0, 2, length($0) - 2) }
    /^"/ && is_value && name == "name" { print value["id"] "\t" value["name"] }
    /^"/ && !is_value { name = substr($0, 2, length($0) - 2) }
    { is_value = /^[ \t]*:[ \t]*$/ }' | sed 's/\\\(["\\/]\)/\1/g'
}

# Prints the artists that were not printed before, and remembers them.
show_new() {
  show | awk -F '\t' -v seen="$work/seen" '
    BEGIN { while ((getline known < seen) > 0) is_known[known] }
    !($1 in is_known) { print; print $1 >> seen }'
}

shortlist() {
  local cursor=''
  while true; do
    ask "/api/v1/artists?limit=$page_size${cursor:+&cursor=$cursor}"
    show
    cursor=$(sed -n 's/.*"next_cursor":"\([A-Za-z0-9_-]*\)".*/\1/p' "$work/body")
    [ -n "$cursor" ] || return 0
  done
}

# Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a body.
poll() {
  local tag='' turn
  for ((turn = 1; ; turn++)); do
    ask '/api/v1/added?days=1' "$tag"
    tag=$(header ETag)
    [ "$status" = 304 ] || show_new
    [ "$turn" != "$polls" ] || return 0
    wait_seconds 900
  done
}

"$command"
