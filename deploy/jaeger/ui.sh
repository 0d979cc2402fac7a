#!/bin/sh
# Prints Jaeger's UI configuration: `ui.sh <path of ui.js>`, with the address of Grafana in LOOPWATCH_GRAFANA_URL, or empty.
#
# Refuses what could end the string below, and the dollar sign (ui.js says why).
set -eu

case "${LOOPWATCH_GRAFANA_URL:-}" in
  '') ;;
  http://*[!][A-Za-z0-9:/._~%-]* | https://*[!][A-Za-z0-9:/._~%-]*) refused=1 ;;
  http://?* | https://?*) printf "window.loopwatchGrafanaUrl = '%s';\n" "$LOOPWATCH_GRAFANA_URL" ;;
  *) refused=1 ;;
esac

if [ -n "${refused:-}" ]; then
  echo "Expected LOOPWATCH_GRAFANA_URL to be an address such as https://grafana.example.com, got $LOOPWATCH_GRAFANA_URL" >&2
  exit 1
fi

cat "$1"
