#!/bin/sh
# On a timer, for instance from cron: 40 5 * * * ci cd /srv/dashboards && sh ci/drift.sh
# Exits 10 and says where production is not what the files in stack/ say. It reads the journal and writes nothing.
set -eu
stackferry apply stack --to production --dry-run --exit-code --markdown
