#!/usr/bin/env bash
# Makes a release of a clean checkout: ./scripts/release.sh 1.2.3
# Sets the version and the heading "Unreleased" of CHANGELOG.md, and tests the frozen contracts. Writes the package, its licences,
# an SBOM (CycloneDX), notes and checksums to release/. Commits and tags, but does not push or publish. Undoes a failed release.
#   ./scripts/release.sh --files 1.2.3    writes the files of a version that was released, from its tag: the same package again
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "release: $1" >&2
  exit 1
}

# notes SECTION: what CHANGELOG.md says below the heading
notes() {
  awk -v heading="## [$1]" 'index($0, heading) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md
}

# sbom: from a lock file without development packages. `npm sbom --omit dev` also omits every package that one of those needs
sbom() (
  folder="$(mktemp -d)/artist-gateway"
  trap 'rm -r "${folder%/*}"' EXIT
  mkdir "$folder"
  cp package.json package-lock.json "$folder"
  cd "$folder"
  npm pkg delete devDependencies
  npm install --package-lock-only --offline --silent
  npm sbom --package-lock-only --sbom-format cyclonedx
)

# write_files VERSION SECTION
write_files() {
  npm ci --ignore-scripts # `npm pack` builds
  npx mocha test/contracts/frozen-contracts.test.ts

  rm -rf release && mkdir release
  local folder
  npm ls --omit=dev --all --parseable | tail -n +2 | LC_ALL=C sort -u | while read -r folder; do
    printf '──── %s\n\n' "${folder##*/node_modules/}"
    cat "$folder"/[Ll][Ii][Cc][Ee][NnCc]* 2>/dev/null || node --print "require('$folder/package.json').license"
    echo
  done >THIRD-PARTY-LICENSES.txt
  npm pack --pack-destination release
  cp THIRD-PARTY-LICENSES.txt release/
  sbom >"release/artist-gateway-$1.cdx.json"
  notes "$2" >release/notes.md
  (cd release && ls | grep -v SHA256SUMS | xargs shasum --algorithm 256 >SHA256SUMS)
}

files_only=false
if [ "${1:-}" = --files ]; then
  files_only=true
  shift
fi
version="${1:-}"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "name the version, for example: ./scripts/release.sh 1.0.0"
[ -z "$(git status --porcelain)" ] || fail "the checkout has changes: commit or stash them first"

if "$files_only"; then
  [ "$(node --print 'require("./package.json").version')" = "$version" ] || fail "package.json has another version: check out v$version"
  [[ "$(notes "$version")" =~ [^[:space:]] ]] || fail "CHANGELOG.md has no section [$version]"
  write_files "$version" "$version"
  exit
fi

git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null && fail "v$version was released already"
[[ "$(notes Unreleased)" =~ [^[:space:]] ]] || fail "CHANGELOG.md has nothing under Unreleased"

undo() {
  git checkout --quiet -- .
  rm -rf release THIRD-PARTY-LICENSES.txt
  echo "release: failed, nothing was changed" >&2
}
trap undo ERR
set -o errtrace

npm version --no-git-tag-version --allow-same-version "$version" >/dev/null
sed -i.before "s/^## \[Unreleased\]$/## [Unreleased]\n\n## [$version] - $(date -u +%F)/" CHANGELOG.md
rm CHANGELOG.md.before
write_files "$version" "$version"

git commit --quiet --all --message "Release $version"
git tag --annotate --message "Version $version" "v$version"
echo "Released $version into release/. To publish it: git push --follow-tags"
