#!/usr/bin/env bash
# Checks the metrics of every kind of run with Prometheus' promtool. Needs promtool (Debian: prometheus) and a build in dist/.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
command -v promtool >/dev/null || { echo "test/prometheus/run.sh: promtool is not installed" >&2; exit 1; }
work=$(mktemp -d)
sandboxes=()
clean_up() {
  for sandbox in "${sandboxes[@]}"; do { kill "$sandbox" && wait "$sandbox"; } 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
cd "$work"
mkdir place

# Do not start the program in a function: it would run in a subshell, and a kill would end only that.
for seed in sample bare; do
  node "$repository/bin/stackferry.js" sandbox --variant self-hosted --seed "$seed" --json >"$seed.json" 2>/dev/null &
  sandboxes+=($!)
done
for seed in sample bare; do for _ in $(seq 100); do [ -s "$seed.json" ] && break; sleep 0.1; done; done
member() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1] + ".json", "utf8"))[process.argv[2]]' "$1" "$2"; }
configure() {
  printf 'stacks:\n  production:\n    variant: self-hosted\n    baseUrl: %s\n    apiKey: ${env:SANDBOX_KEY}\n' "$(member "$1" url)" \
    >stackferry.yaml
  SANDBOX_KEY=$(member "$1" apiKey)
  export SANDBOX_KEY
}

# The metrics pass only if promtool prints nothing, because it exits with 0 even if it warns about a name.
judge() {
  local expected=$1 code=0
  shift
  node "$repository/bin/stackferry.js" "$@" --metrics-file run.prom --quiet >/dev/null 2>err.txt || code=$?
  [ "$code" -eq "$expected" ] || { echo "prometheus: exit $code instead of $expected: $*" >&2; cat err.txt >&2; exit 1; }
  local remarks
  remarks=$(promtool check metrics <run.prom 2>&1) || { echo "prometheus: $*: $remarks" >&2; exit 1; }
  [ -z "$remarks" ] || { echo "prometheus: $*: $remarks" >&2; exit 1; }
  rm run.prom
}

configure sample
judge 0 export --from production --out a.zip
judge 0 backup production --to place
judge 0 check place
configure bare
sleep 1
judge 3 backup production --to place
judge 3 check place
judge 0 check place --stack production --accept-suspect
judge 2 backup production --to nowhere
echo "prometheus: $(promtool --version 2>&1 | head -1) has no remark"
