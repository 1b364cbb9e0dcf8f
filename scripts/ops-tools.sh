#!/usr/bin/env bash
# Unpacks the programs that `npm run test:ops` and `npm run test:chaos` run (Caddy, nginx, promtool, mosquitto,
# PgBouncer, libfaketime) and paho for the machine's Python from Debian's packages into a folder, without installing
# them: no service is started, and nothing else on the machine changes. Fails with an explanation when apt does not work.
# Usage: OPS_TOOLS=$(scripts/ops-tools.sh FOLDER)
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
programs=(usr/bin/caddy usr/sbin/nginx usr/bin/promtool usr/sbin/mosquitto usr/bin/mosquitto_pub usr/sbin/pgbouncer)
# Includes libraries that mosquitto and PgBouncer need and few machines have.
packages=(caddy nginx prometheus libfaketime mosquitto mosquitto-clients libmosquitto1 libcjson1 libdlt2 libwrap0
  pgbouncer libevent-2.1-7 libc-ares2 python3-paho-mqtt)
fail() { echo "$1" >&2; exit 1; }

command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail 'There is no apt-get here.'
cd "$folder"
fetch() { apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}"; }
fetch 2>/dev/null || { apt-get -qq update && fetch; } >apt.log 2>&1 || fail "apt-get has none of the packages: $(tail -n 1 apt.log)"
for package in *.deb; do dpkg -x "$package" .; done
libraries=$(cd usr/lib/*-linux-gnu && pwd)
for program in "${programs[@]}"; do
  [ -x "$program" ] || fail "$program is not in Debian's packages."
  ! LD_LIBRARY_PATH=$libraries ldd "$program" 2>/dev/null | grep 'not found' >&2 || fail "$program lacks libraries."
done
echo "$folder"
