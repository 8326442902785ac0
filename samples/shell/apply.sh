#!/bin/sh
# After a merge: production gets what stack/ says, also where somebody has changed it; the result names what was overwritten.
# Keep .stackferry from run to run, after failed runs too (a cache will do, never an artifact): its journal knows a renamed
# dashboard again, and undoes a run: stackferry rollback --to production --run N
set -eu
stackferry apply stack --to production --yes
