#!/usr/bin/env bash
# Puts the programs that `npm run test:ops` and `npm run test:chaos` run (Caddy, nginx, promtool, libfaketime) into a
# folder, from Debian's packages, without installing them: no service is started, and nothing else on the machine changes. Fails
# with a sentence where apt does not work.
# Usage: OPS_TOOLS=$(scripts/ops-tools.sh FOLDER)
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
programs=(usr/bin/caddy usr/sbin/nginx usr/bin/promtool)
fail() { echo "$1" >&2; exit 1; }

command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail 'There is no apt-get here.'
cd "$folder"
fetch() { apt-get -qq -o APT::Sandbox::User=root download caddy nginx prometheus libfaketime; }
fetch 2>/dev/null || { apt-get -qq update && fetch; } >apt.log 2>&1 || fail "apt-get has none of the packages: $(tail -n 1 apt.log)"
for package in *.deb; do dpkg -x "$package" .; done
for program in "${programs[@]}"; do [ -x "$program" ] || fail "$program is not in Debian's packages."; done
! ldd usr/sbin/nginx | grep 'not found' >&2 || fail 'nginx lacks libraries.'
echo "$folder"
