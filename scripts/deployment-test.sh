#!/usr/bin/env bash
# Runs the commands of docs/deployment.md, "On a machine, with systemd", unchanged in a fresh Debian: from an empty
# system to two processes behind Caddy with TLS, a backup, a restore and an upgrade during which no request may fail.
# The Debian is a container of systemd-nspawn that shares this machine's network. Needs root, apt, the npm registry, and
# the ports 443, 4001, 4002 and 5432. When something is missing, the script says so and exits with 0.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
root=$work/debian
leader=''
# Uses the machine's npm and Node.js, because node_modules has Node.js without npm.
PATH=$(tr : '\n' <<<"$PATH" | grep -v '/node_modules/\.bin$' | paste -sd :)
packages=(systemd-container mmdebstrap)

skip() { echo "The page is not tried: $1"; exit 0; }
fail() { echo "$1" >&2; [ -z "$leader" ] || inside journalctl --no-pager -n 30 -u 'ddp@*' -u caddy >&2; exit 1; }
step() { echo "-- $1 (${SECONDS} s)"; }
inside() { nsenter --target "$leader" --mount --uts --ipc --pid --root --wdns=/root "$@"; }

clean() {
  touch "$work/over"
  if [ -n "$leader" ]; then
    kill -s RTMIN+4 "$leader" 2>/dev/null || true
    for _ in $(seq 300); do kill -0 "$leader" 2>/dev/null || break; sleep 0.1; done
  fi
  rm -rf "$work"
}
trap clean EXIT

[ "$(id -u)" = 0 ] || skip 'it takes root.'
for port in 443 4001 4002 5432; do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then skip "port $port of this machine is taken."; fi
done
if ! { command -v systemd-nspawn && command -v mmdebstrap; } >/dev/null 2>&1; then
  { apt-get -qq install -y --no-install-recommends "${packages[@]}" || { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${packages[@]}"; }; } \
    >"$work/apt.log" 2>&1 || skip "apt-get cannot install them: $(tail -n 1 "$work/apt.log")"
fi

step 'a fresh Debian'
mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --include=systemd,systemd-sysv,dbus bookworm "$root" >"$work/base.log" 2>&1 ||
  skip "mmdebstrap cannot make it: $(tail -n 1 "$work/base.log")"
setsid systemd-nspawn --quiet --register=no --keep-unit --link-journal=no --resolv-conf=copy-host --directory="$root" --boot >"$work/boot.log" 2>&1 &
for _ in $(seq 100); do
  leader=$(pgrep --parent "$(pgrep --full --exact ".*systemd-nspawn .*--directory=$root .*" | head -n 1)" 2>/dev/null || true)
  if [ -n "$leader" ] && inside systemctl is-system-running --wait 2>/dev/null | grep -q 'running\|degraded'; then break; fi
  leader=''
  sleep 0.3
done
[ -n "$leader" ] || skip "systemd-nspawn does not start it: $(tail -n 1 "$work/boot.log")"
# The container also trusts the certificate of a proxy between this machine and the registry, if there is one.
if [ -f "${NODE_EXTRA_CA_CERTS:-}" ]; then
  install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$root/usr/local/share/extra.crt"
  echo 'cafile=/usr/local/share/extra.crt' >"$root/root/.npmrc"
fi

step 'the packages of two releases'
version=$(node -p "require('./package.json').version")
next=${version%.*}.$((${version##*.} + 1))
npm pack --silent --pack-destination "$root/root" >/dev/null
tar -xzf "$root/root/device-data-platform-$version.tgz" -C "$work"
sed -i "s/\"version\": \"$version\"/\"version\": \"$next\"/" "$work/package/package.json"
tar -czf "$root/root/device-data-platform-$next.tgz" -C "$work" package

# Extracts the section's code blocks, numbered from 1, and replaces the page's names with those of this test.
token=TOKEN
block() {
  node -e '
    const [, number] = process.argv;
    const [, section] = require("fs").readFileSync("docs/deployment.md", "utf8").split("\n## On a machine, with systemd\n");
    const blocks = [...section.split("\n## ")[0].matchAll(/^( *)```sh\n(.*?)^ *```$/gms)];
    if (blocks.length !== 9) throw new Error(`The page has ${blocks.length} blocks.`);
    const [, indent, text] = blocks[number - 1];
    console.log(text.replaceAll(new RegExp(`^${indent}`, "gm"), ""));' "$1" |
    sed "s/X\.Y\.Z/$version/g; s/X\.Y\.N/$next/g; s/iot\.example\.com/localhost/g; s/Bearer TOKEN/Bearer $token/; s/curl --fail --header/curl --insecure &/; s/curl --insecure curl/curl --insecure/; s/2026-11-22\.backup/now.backup/"
}
# Answers yes to every prompt, because the test runs unattended.
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/99walk"
run() { cat >"$root/root/walk.sh"; inside env DEBIAN_FRONTEND=noninteractive /bin/sh -ex /root/walk.sh </dev/null; }
walk() { for each in "$@"; do block "$each"; done | run >"$work/walk.log" 2>&1 || { tail -n 40 "$work/walk.log" >&2; fail "A command of block $* failed."; }; }
call() { curl --insecure --silent --output "$work/answer" --write-out '%{http_code}' --header "Authorization: Bearer $token" --header 'Content-Type: application/json' "$@"; }
expect() { local status; status=$(call "${@:3}"); [ "$status" = "$2" ] || fail "$1: $status $(cat "$work/answer")"; }

step 'programs, the service, its settings, its tables, two processes, Caddy'
walk 1 2 3 4 5
step 'the first organization'
block 6 | head -n 1 | run >"$work/made" 2>"$work/walk.log"
token=$(grep -o 'ddp_[A-Za-z0-9_-]*' "$work/made" | head -n 1)
block 6 | tail -n +2 | run >"$work/walk.log" 2>&1 || { cat "$work/walk.log" >&2; fail 'ddp doctor, or the call of the first organization.'; }
base=https://localhost/ddp/v1
expect 'the account' 200 "$base/account"
organization=$(node -p "JSON.parse(require('fs').readFileSync('$work/answer')).id")
expect 'a device' 200 --request POST --data '{}' "$base/organizations/$organization/devices/be-f0"
expect 'a record' 200 --data '{"serial":"be-f0","data":{"level":1}}' "$base/organizations/$organization/records"

step 'a backup, and a restore into a new database'
walk 7
inside ddp backup /var/backups/ddp/now.backup >/dev/null
expect 'a device after the backup' 200 --request POST --data '{}' "$base/organizations/$organization/devices/af-01"
walk 8
inside curl --fail --silent --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:4002/readyz >/dev/null
inside curl --fail --silent --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:4001/readyz >/dev/null
expect 'the account after the restore' 200 --retry 20 --retry-all-errors "$base/account"
expect 'the devices after the restore' 200 "$base/organizations/$organization/devices"
grep -q be-f0 "$work/answer" || fail 'The restore lacks a device.'
if grep -q af-01 "$work/answer"; then fail 'The processes are not on the restored database.'; fi

step 'an upgrade under requests'
requests() {
  while [ ! -e "$work/over" ]; do
    call --data '{"serial":"be-f0","data":{"level":2}}' "$base/organizations/$organization/records" 2>/dev/null
    echo
  done
}
requests >"$work/statuses" &
walk 9
touch "$work/over"
wait %2 || true
[ "$(sort "$work/statuses" | uniq -c | awk '{ print $2 }' | paste -sd ' ')" = 200 ] || fail "Requests failed during the upgrade: $(sort "$work/statuses" | uniq -c | paste -sd ' ')"
for port in 4001 4002; do
  curl --silent "http://127.0.0.1:$port/healthz" | grep -q "\"$next[\"+]" || fail "The process at $port is not of the new release."
done
echo "$(wc -l <"$work/statuses") records were posted meanwhile, each answered 200."
step 'the page was walked'
