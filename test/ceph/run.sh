#!/usr/bin/env bash
# Tests repositories on a real object store: the S3 gateway of a Ceph cluster with one monitor and one OSD in memory. Needs the
# packages radosgw, ceph-mon and ceph-osd. The cluster listens on 127.0.0.1 only, and is removed at the end.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
for tool in ceph ceph-mon ceph-osd monmaptool radosgw radosgw-admin; do
  command -v "$tool" >/dev/null || { echo "test/ceph/run.sh: $tool is not installed" >&2; exit 1; }
done
work=$(mktemp -d)
daemons=()
clean_up() {
  local code=$?
  [ "$code" -eq 0 ] || tail -n 5 "$work"/*.out >&2 || true
  # Kill the daemons: their data are in memory, and on a regular exit each waits for the others.
  for daemon in "${daemons[@]}"; do { kill -KILL "$daemon" && wait "$daemon"; } 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
port=${CEPH_TEST_PORT:-17480}
monitors="[v2:127.0.0.1:$((port + 1)),v1:127.0.0.1:$((port + 2))]"
fsid=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)
mkdir "$work"/{mon,osd,rgw,run,crash}

# By default, the gateway requires encryption between daemons, which would need keys.
cat >"$work/ceph.conf" <<CONF
[global]
fsid = $fsid
mon host = $monitors
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc secure
run dir = $work/run
admin socket = $work/run/\$name.\$pid.asok
pid file = $work/run/\$name.pid
crash dir = $work/crash
log file =
log to stderr = false
mon cluster log file =
mon data = $work/mon
osd data = $work/osd
rgw data = $work/rgw
osd objectstore = memstore
memstore device bytes = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon max pg per osd = 1000
rgw frontends = beast endpoint=127.0.0.1:$port
rgw dynamic resharding = false
CONF
conf=(-c "$work/ceph.conf")
run() {
  local name=$1
  shift
  "$@" "${conf[@]}" -f >"$work/$name.out" 2>&1 &
  daemons+=($!)
}

monmaptool --create --addv a "$monitors" --fsid "$fsid" "$work/monmap" >/dev/null
ceph-mon "${conf[@]}" --mkfs -i a --monmap "$work/monmap"
run mon ceph-mon -i a
ceph "${conf[@]}" --connect-timeout 30 osd new "$osd" >/dev/null
ceph-osd "${conf[@]}" -i 0 --mkfs --osd-uuid "$osd" >/dev/null 2>&1
run osd ceph-osd -i 0
timeout 120 radosgw-admin "${conf[@]}" user create --uid test --display-name test \
  --access-key KEYOFTEST --secret-key SECRETOFTEST >/dev/null 2>&1
run rgw radosgw -n client.admin
answers() { node -e 'fetch(process.argv[1]).then(() => process.exit(0), () => process.exit(1))' "http://127.0.0.1:$port/"; }
for _ in $(seq 60); do answers && break; sleep 0.5; done

cd "$repository"
STACKFERRY_TEST_S3="http://127.0.0.1:$port" npx vitest run --project quick --retry 0 -t "a bucket of a real store" \
  test/contract/repository.test.ts
echo "ceph: repositories tried on $(radosgw --version)"
