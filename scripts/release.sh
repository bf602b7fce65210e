#!/usr/bin/env bash
# Makes a release of a clean checkout: ./scripts/release.sh 1.2.3
# Sets the version, gives the section "Unreleased" of CHANGELOG.md its number and day, and checks that the frozen contracts are
# what the gateway serves. Then writes to release/: the package, its licences, an SBOM (CycloneDX), the notes, and their
# checksums. Commits and tags at the end; nothing is pushed or published. A failed release leaves the checkout as it was.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "release: $1" >&2
  exit 1
}

version="${1:-}"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "name the version, for example: ./scripts/release.sh 1.0.0"
[ -z "$(git status --porcelain)" ] || fail "the checkout has changes: commit or stash them first"
git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null && fail "v$version was released already"
notes=$(awk '/^## \[Unreleased\]/ { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || fail "CHANGELOG.md has nothing under Unreleased"

undo() {
  git checkout --quiet -- .
  rm -rf release THIRD-PARTY-LICENSES.txt
  echo "release: failed, nothing was changed" >&2
}
trap undo ERR

npm ci
npm ci --prefix scripts/release
npm version --no-git-tag-version --allow-same-version "$version" >/dev/null
sed -i.before "s/^## \[Unreleased\]$/## [Unreleased]\n\n## [$version] - $(date -u +%F)/" CHANGELOG.md
rm CHANGELOG.md.before
npm run --silent build
npx mocha test/openapi/frozen-contracts.test.ts

rm -rf release && mkdir release
tools=scripts/release/node_modules/.bin
"$tools/generate-license-file" --ci --overwrite --input package.json --output THIRD-PARTY-LICENSES.txt
npm pack --pack-destination release
cp THIRD-PARTY-LICENSES.txt release/
"$tools/cyclonedx-npm" --omit dev --validate --output-file "release/artist-gateway-$version.cdx.json"
printf '%s\n' "$notes" >release/notes.md
(cd release && ls | grep -v SHA256SUMS | xargs shasum --algorithm 256 >SHA256SUMS)

git commit --quiet --all --message "Release $version"
git tag --annotate --message "Version $version" "v$version"
echo "Released $version into release/. To publish it: git push --follow-tags"
