#!/usr/bin/env bash
# Builds the image of Containerfile and runs it alone, as a user other than root, read-only and without capabilities,
# then as compose.yaml does (compose-test.sh). No image registry is needed: the base, node:24-slim, is built from
# Debian's packages and our Node.js, and has that name only here. Needs root and apt, or the programs below. When
# something is missing, the script says so and exits with 0.
set -euo pipefail
cd "$(dirname "$0")/.."
base=docker.io/library/node:24-slim
# The image is in a temporary storage, under its name in compose.yaml.
image=localhost/device-data-platform
name=ddp-test-$$
others=
work=$(mktemp -d)
# Uses the machine's npm and Node.js, because node_modules has Node.js without npm.
PATH=$(tr : '\n' <<<"$PATH" | grep -v '/node_modules/\.bin$' | paste -sd :)
packages=(buildah podman podman-compose runc conmon catatonit netavark aardvark-dns iptables mmdebstrap ca-certificates curl)

skip() { echo "The image is not tried: $1"; exit 0; }
fail() { echo "$1" >&2; podman logs --tail 40 "${2:-$name}" >&2 || true; exit 1; }
# Keeps this test's images and containers separate, on a storage driver that needs no special file system.
export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf XDG_RUNTIME_DIR=$work/run
buildah() { command buildah "$@" 2> >(grep -v 'CNI config' >&2); }
# Hides podman's message that nothing runs the health check without systemd.
podman() { command podman "$@" 2> >(grep -v 'CNI config\|unable to get systemd connection' >&2); }

clean() {
  if [ -n "$others" ]; then wait "$others" || true; fi
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  for layer in "$work"/storage/overlay/*/merged; do umount "$layer" 2>/dev/null || true; done
  umount "$work/storage/overlay" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT

[ "$(id -u)" = 0 ] || skip 'it takes root.'
if ! { command -v buildah && command -v podman && command -v podman-compose && command -v mmdebstrap && command -v runc && [ -x /usr/libexec/podman/catatonit ]; } >/dev/null 2>&1; then
  { apt-get -qq install -y --no-install-recommends "${packages[@]}" || { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${packages[@]}"; }; } \
    >"$work/apt.log" 2>&1 || skip "apt-get cannot install buildah and podman: $(tail -n 1 "$work/apt.log")"
fi
mkdir -p "$XDG_RUNTIME_DIR"
printf '[storage]\ndriver = "overlay"\nrunroot = "%s"\ngraphroot = "%s"\n' "$work/run/storage" "$work/storage" >"$CONTAINERS_STORAGE_CONF"
# runc works on machines where both kinds of control groups are mounted; crun does not. podman's default limits are
# higher than these, and raising limits needs a right that root lacks in a container.
files=$(ulimit -Hn)
echo '127.0.0.1 localhost' >"$work/hosts"
cat >"$CONTAINERS_CONF" <<SETTINGS
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=4096:4096"]
base_hosts_file = "$work/hosts"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "$work/networks"
SETTINGS

# Writes the smallest Debian that has these packages as an archive.
debian() {
  mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io "--include=$2" bookworm "$work/$1.tar" 2>"$work/$1.log" || { cat "$work/$1.log" >&2; return 1; }
}

# Builds a replacement for the public base image: Debian, Node.js 24 with npm, and the user node.
make_base() {
  local container root npm
  npm=$(npm root --global 2>/dev/null)/npm
  debian base ca-certificates || return 1
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/base.tar" / >/dev/null
  root=$(buildah mount "$container")
  install -D node_modules/node/bin/node "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -rL "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  echo 'node:x:1000:1000::/home/node:/bin/bash' >>"$root/etc/passwd"
  echo 'node:x:1000:' >>"$root/etc/group"
  install -d -o 1000 -g 1000 "$root/home/node"
  # The image also trusts the certificate of a proxy between this machine and the registry, if there is one.
  if [ -f "${NODE_EXTRA_CA_CERTS:-}" ]; then
    install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$root/usr/local/share/extra.crt"
    buildah config --env NODE_EXTRA_CA_CERTS=/usr/local/share/extra.crt "$container"
  fi
  buildah umount "$container" >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$base" >/dev/null
}

# npm in the build uses earlier downloads, and opens more of their files than a container may by default.
build() {
  buildah build --quiet --ulimit "nofile=$files:$files" --format docker --pull=never --network host --isolation chroot --volume "$(npm config get cache 2>/dev/null):/root/.npm" \
    --file Containerfile --tag "$image" . >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; return 1; }
}

run() {
  podman run --detach --name "$name" --network host --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --init \
    --volume "$work/data:/data" --env HOST=127.0.0.1 --env PORT="$port" --env STOP_DELAY=1s --stop-timeout 30 "$image" >/dev/null
}
wait_until_healthy() {
  for _ in $(seq 240); do
    if podman healthcheck run "$1" >/dev/null 2>&1; then return; fi
    [ "$(podman inspect --format '{{.State.Running}}' "$1")" = true ] || break
    sleep 0.5
  done
  fail "The container $1 is not healthy." "$1"
}
free_port() { node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })"; }

step() { echo "-- $1 (${SECONDS} s)"; }
step 'base'
make_base || skip 'its base cannot be made.'
# For compose-test.sh, beside the build.
debian others ca-certificates,postgresql,caddy &
others=$!
step 'build'
build || fail 'The image cannot be built.'
step 'run'
install -d -o 1000 -g 1000 -m 700 "$work/data"
port=$(free_port)
run
wait_until_healthy "$name"
[ "$(podman exec "$name" id -u)" = 1000 ] || fail 'It runs as root.'
if podman exec "$name" touch /app/written 2>/dev/null; then fail 'Its root file system can be written to.'; fi
# Between two releases, the commit follows.
[[ "$(podman exec "$name" ddp --version)" =~ ^"$(node -p "require('./package.json').version")"(\+[0-9a-f]{8,})?$ ]] || fail 'ddp --version is another.'
podman exec "$name" cat /app/sbom.cdx.json | node -e "
  const { bomFormat, components } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  const names = components.map(({ name }) => name);
  process.exit(bomFormat === 'CycloneDX' && names.includes('express') && !names.includes('jest') ? 0 : 1);" || fail 'The list of what is in it is not that.'
podman exec "$name" ddp organization create --username image --email image@example.com --json >"$work/made.json"
made=$(node -p "const { id, token } = require('$work/made.json'); id + ' ' + token")
read -r organization token <<<"$made"
account() { node -e "fetch('http://127.0.0.1:$port/ddp/v1/account', { headers: { authorization: 'Bearer $token' } }).then((a) => a.json()).then((a) => console.log(a.id), () => process.exit(1))"; }
[ "$(account)" = "$organization" ] || fail 'It does not answer.'
step 'stop'
podman stop "$name" >/dev/null
[ "$(podman inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || fail 'It did not end in order at SIGTERM.'
[ ! -e "$work/data/postgres/postmaster.pid" ] || fail 'Its database was not stopped.'
step 'start again'
podman start "$name" >/dev/null
wait_until_healthy "$name"
[ "$(account)" = "$organization" ] || fail 'What was stored is gone.'
podman stop "$name" >/dev/null
. scripts/compose-test.sh
step 'the image was built and run'
