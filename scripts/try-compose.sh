#!/usr/bin/env bash
# Runs the commands of docs/deploying.md, "Docker Compose": builds the image, starts compose.yaml, imports the example catalogue and
# sends a request in each form. Then checks the image. Needs Docker, and removes what it started.
set -euo pipefail
cd "$(dirname "$0")/.."

commands="$(awk '/^#+ /{ here = /^#+ Docker Compose$/ } here && /^```$/{ exit } code; here && /^```sh$/{ code = 1 }' docs/deploying.md)"
[ -n "$commands" ] || { echo 'try-compose: docs/deploying.md has no commands below "Docker Compose"' >&2; exit 1; }
command -v docker >/dev/null || { echo "try-compose: install Docker with its compose plugin" >&2; exit 1; }
# In a folder of its own: the commands make ./secrets.
SECRETS_DIR="$(mktemp -d)/secrets"
export SECRETS_DIR
trap 'docker compose logs --tail 50; docker compose down --volumes --timeout 5; rm -r "$SECRETS_DIR"' EXIT
eval "${commands//secrets/$SECRETS_DIR}"

# Lines of tar: rights, user, size, day, time, path
container="$(docker create artist-gateway)"
docker export "$container" | tar --list --verbose --numeric-owner >"$SECRETS_DIR/files"
docker rm "$container" >/dev/null
awk '
  $6 ~ /^app\// { size += $3; if ($2 == "65532/65532" && $6 != "app/state/") wrong = wrong "\nthe gateway may write to " $6 }
  $6 ~ /(^|\/)bin\/(sh|bash|npm)$/ || $6 ~ /^app\/.*\.map$/ { wrong = wrong "\nneedless: " $6 }
  END { if (size > 18e6) wrong = wrong "\n/app is larger than 18 MB: " size; if (wrong) { print "try-compose:" wrong; exit 1 } }
' "$SECRETS_DIR/files"
docker compose stop --timeout 5 gateway-1
stopped="$(docker inspect --format '{{.State.ExitCode}}' "$(docker compose ps --all --quiet gateway-1)")"
[ "$stopped" = 0 ] || { echo "try-compose: gateway-1 ended with $stopped on a SIGTERM" >&2; exit 1; }
