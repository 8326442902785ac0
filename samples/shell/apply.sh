#!/bin/sh
# After a merge: production gets what stack/ says. Keep .stackferry from run to run (a cache will do): it knows a renamed
# dashboard again. What is in it may be lost; then names decide.
set -eu
stackferry apply stack --to production --state .stackferry/production.json --trust-state --yes
# What drift.sh compares production with.
rm -f .stackferry/applied.zip
stackferry export --from production --out .stackferry/applied.zip --quiet
