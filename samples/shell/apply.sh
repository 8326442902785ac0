#!/bin/sh
# After a merge: production gets what stack/ says. Keep .stackferry from run to run (a cache will do): it knows a renamed
# dashboard again, and tells who has changed one. What is in it may be lost; then names decide, and the files win.
# Exits 3 while somebody's change on production stands against a file: write it into the file, or run once with
# --on-edited overwrite.
set -eu
stackferry apply stack --to production --state .stackferry/production.json --accept-foreign-state --yes
