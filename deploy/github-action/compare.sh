#!/usr/bin/env bash
# Compares the recordings with those of the base branch's last successful run of this workflow. Called by action.yml.
set -euo pipefail

# "owner/repo/.github/workflows/ci.yml@refs/…"
workflow=${WORKFLOW_REF%%@*}
workflow=${workflow##*/}

rm -rf "$BASE_RECORDINGS"
mkdir -p "$BASE_RECORDINGS"
run=$(gh run list --repo "$GITHUB_REPOSITORY" --workflow "$workflow" --branch "$BASE_BRANCH" --status success \
  --event push --limit 1 --json databaseId --jq '.[0].databaseId // empty')
if ! [[ "$run" =~ ^[0-9]+$ ]] ||
  ! gh run download "$run" --repo "$GITHUB_REPOSITORY" --name "$INPUT_ARTIFACT" --dir "$BASE_RECORDINGS"; then
  echo "::notice title=Loopwatch::The base branch has no recordings so far: nothing is compared. Run this workflow on push, too."
  exit 0
fi

shopt -s nullglob
base=("$BASE_RECORDINGS"/*.json)
head=("$HEAD_RECORDINGS"/*.json)
if ((${#base[@]} == 0 || ${#head[@]} == 0)); then
  echo "::notice title=Loopwatch::There are no recordings of both branches: nothing is compared."
  exit 0
fi

options=()
for file in "${head[@]}"; do options+=(--with "$file"); done
if [[ -n "$INPUT_FAIL_ON_NEW" ]]; then options+=(--fail-on-new "$INPUT_FAIL_ON_NEW"); fi
code=0
"$(dirname "${BASH_SOURCE[0]}")/loopwatch.sh" compare "${base[@]}" "${options[@]}" --markdown "$COMMENT_FILE" || code=$?
if [[ -s "$COMMENT_FILE" ]]; then echo "comment=$COMMENT_FILE" >>"$GITHUB_OUTPUT"; fi
exit "$code"
