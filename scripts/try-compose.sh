#!/usr/bin/env bash
# Runs the commands of docs/deploying.md, "Image and compose", as they stand there: builds the image, starts compose.yaml, imports
# the example catalogue and asks with a key of each form. Needs Docker. What it started is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

commands="$(awk '/^#+ /{ here = /^#+ Image and compose$/ } here && /^```$/{ exit } code; here && /^```sh$/{ code = 1 }' docs/deploying.md)"
[ -n "$commands" ] || { echo 'try-compose: docs/deploying.md has no commands below "Image and compose"' >&2; exit 1; }
command -v docker >/dev/null || { echo "try-compose: install Docker with its compose plugin" >&2; exit 1; }
# In a folder of its own: the commands make ./secrets.
SECRETS_DIR="$(mktemp -d)/secrets"
export SECRETS_DIR
trap 'docker compose logs --tail 50; docker compose down --volumes --timeout 5; rm -r "$SECRETS_DIR"' EXIT
eval "${commands//secrets/$SECRETS_DIR}"
