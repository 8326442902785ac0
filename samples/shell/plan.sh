#!/bin/sh
# For every pull request: what the files in stack/ would change on production, as Markdown in plan.md. A mistake in a file exits 3,
# mistakes in all of them 2. plan.md names those of the first sort, and standard error the others.
# In the repository: stackferry.yaml (samples/stackferry.yaml), and stack/ (samples/dashboards-as-code, or what
# `stackferry export --from production --format code --out stack` wrote).
set -eu
stackferry apply stack --to production --dry-run --markdown > plan.md || status=$?
cat plan.md
exit "${status:-0}"
