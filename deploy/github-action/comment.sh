#!/usr/bin/env bash
# Writes the comment on the pull request, or replaces the one of an earlier run. Called by action.yml.
set -euo pipefail

if ! [[ "$PULL_REQUEST" =~ ^[0-9]+$ ]]; then
  echo "Expected the number of a pull request, got: $PULL_REQUEST" >&2
  exit 1
fi
# Each artifact has a comment of its own. In a name of an artifact, these characters say nothing.
marker="<!-- loopwatch ${INPUT_ARTIFACT//[^A-Za-z0-9_.-]/-} -->"
body=$(mktemp)
{
  echo "$marker"
  cat "$COMMENT_FILE"
} >"$body"

comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
id=$(MARKER=$marker gh api --paginate "$comments" \
  --jq '.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id' | sed -n 1p)
if [[ -n "$id" ]]; then
  request=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id")
else
  request=(--method POST "$comments")
fi
if ! gh api "${request[@]}" --field "body=@$body" --silent; then
  # A pull request of a fork has a token that may only read.
  echo "::notice title=Loopwatch::The comment could not be written: the log has the reason. With status 403, the job needs pull-requests: write. The comparison is in the summary."
fi
