#!/bin/sh
# Every night: staging gets production's dashboards and alerts, and the saved searches that alerts are on, as its transforms in
# stackferry.yaml have them: other names and tags, its own addresses, no alerts that page. A second run writes only what has
# changed, also where something was renamed, and deletes what an earlier night brought and production no longer has: so keep
# .stackferry. Onto a staging that has records, the first night exits 3: nothing tells yet which of them are ours (not-mirrored).
set -eu
stackferry doctor production staging
stackferry migrate --from production --to staging --kinds dashboards,alerts --create saved-searches \
  --on-conflict overwrite --mirror --yes
