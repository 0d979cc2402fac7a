#!/usr/bin/env bash
# Runs the version of Loopwatch that was asked for, or else that of this checkout of the action.
set -euo pipefail

version=$INPUT_VERSION
if [[ -z "$version" ]]; then
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  version=$(node -p 'require(process.argv[1]).version' "$root/packages/cli/package.json")
fi
exec npx --yes "loopwatch@$version" "$@"
