#!/bin/sh
# On a timer, for instance from cron: 40 5 * * * ci cd /srv/dashboards && sh ci/drift.sh
# Exits 10 and says what it is when somebody has changed production by hand since apply.sh ran last.
set -eu
stackferry diff .stackferry/applied.zip production --exit-code --markdown
