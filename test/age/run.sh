#!/usr/bin/env bash
# Tests encrypted archives with the original age program: each program decrypts what the other encrypts. Needs the packages age
# and bsdutils (for `script`) and a build in dist/; installs nothing.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
for tool in age age-keygen script node; do
  command -v "$tool" >/dev/null || { echo "test/age/run.sh: $tool is not installed" >&2; exit 1; }
done
work=$(mktemp -d)
sandbox=""
clean_up() {
  [ -z "$sandbox" ] || { kill "$sandbox" && wait "$sandbox"; } 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
cd "$work"
umask 077

stackferry() { node "$repository/bin/stackferry.js" "$@"; }
verify() { stackferry verify "$@" --quiet >/dev/null; }
step() { echo "age: $*"; }
expect_exit() {
  local expected=$1 code=0
  shift
  "$@" >out.txt 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || { echo "age: exit $code instead of $expected: $*" >&2; cat out.txt >&2; exit 1; }
}
# age reads a passphrase only from a terminal.
with_passphrase() { printf '%s\n%s\n' "$passphrase" "$passphrase" | script -qec "$1" /dev/null >/dev/null; }

# Do not call the function stackferry here: it would run in a subshell, and a kill would end only that.
node "$repository/bin/stackferry.js" sandbox --variant self-hosted --seed sample --json >sandbox.json &
sandbox=$!
for _ in $(seq 100); do [ -s sandbox.json ] && break; sleep 0.1; done
member() { node -p 'JSON.parse(require("fs").readFileSync("sandbox.json", "utf8"))[process.argv[1]]' "$1"; }
STACKFERRY_API_KEY=$(member apiKey)
export STACKFERRY_API_KEY
stack=$(member stack)

age-keygen -o mine.txt 2>/dev/null
age-keygen -o theirs.txt 2>/dev/null
mine=$(age-keygen -y mine.txt)
theirs=$(age-keygen -y theirs.txt)
passphrase="a passphrase of several words"
echo "$passphrase" >words.txt

step "what stackferry encrypts for two recipients, age decrypts with either key"
stackferry export --from "$stack" --out a.zip --recipient "$mine" --recipient "$theirs" --quiet >/dev/null
[ ! -e a.zip ]
age --decrypt -i mine.txt -o one.zip a.zip.age
age --decrypt -i theirs.txt -o two.zip a.zip.age
cmp one.zip two.zip
verify one.zip

step "what age encrypts, stackferry reads"
age --encrypt -r "$mine" -o b.zip.age one.zip
verify b.zip.age --identity mine.txt
expect_exit 4 stackferry verify b.zip.age --identity theirs.txt
expect_exit 2 stackferry verify b.zip.age

step "the same with a passphrase"
stackferry export --from "$stack" --out c.zip --passphrase-file words.txt --kinds sources --quiet >/dev/null
with_passphrase "age --decrypt -o three.zip c.zip.age"
verify three.zip
with_passphrase "age --encrypt --passphrase -o d.zip.age one.zip"
verify d.zip.age --passphrase-file words.txt

step "a changed byte is refused by both"
node -e '
  const { readFileSync, writeFileSync } = require("fs");
  const bytes = readFileSync("a.zip.age");
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync("bad.zip.age", bytes);'
expect_exit 1 age --decrypt -i mine.txt -o bad.zip bad.zip.age
expect_exit 4 stackferry verify bad.zip.age --identity mine.txt

echo "age: round trips done with age $(age --version)"
