#!/usr/bin/env bash
# Runs the command under Loopwatch, as often as asked, and keeps a recording of each run. Called by action.yml.
set -euo pipefail

if ! [[ "$INPUT_RUNS" =~ ^[1-9][0-9]?$ ]]; then
  echo "Expected as runs a number from 1 to 99, got: $INPUT_RUNS" >&2
  exit 1
fi
rm -rf "$RECORDINGS"
mkdir -p "$RECORDINGS"
echo "recordings=$RECORDINGS" >>"$GITHUB_OUTPUT"

options=()
if [[ -n "$INPUT_FAIL_ON" ]]; then options+=(--fail-on "$INPUT_FAIL_ON"); fi
if [[ -n "$INPUT_KILL_AFTER" ]]; then options+=(--kill-after "$INPUT_KILL_AFTER"); fi

status=0
for ((run = 1; run <= INPUT_RUNS; run++)); do
  code=0
  "$(dirname "${BASH_SOURCE[0]}")/loopwatch.sh" run ${options[@]+"${options[@]}"} --json "$RECORDINGS/$run.json" -- \
    bash -c "$INPUT_COMMAND" || code=$?
  if ((code != 0)); then status=$code; fi
  # A program that fails or hangs does so again.
  if ((code != 0 && code != 3)); then break; fi
done
exit "$status"
