#!/usr/bin/env bash
# Builds the image of Containerfile and runs it as compose.yaml does: not root, read-only, without capabilities. No registry
# of images is needed: its base, node:24-slim, is made from Debian's packages and our Node.js, and has that name here alone.
# Needs root and apt, or buildah, podman and mmdebstrap. Where they cannot be had it says so and ends with 0.
set -euo pipefail
cd "$(dirname "$0")/.."
base=docker.io/library/node:24-slim
image=localhost/ddp-test:$$
name=ddp-test-$$
work=$(mktemp -d)
# npm and Node.js of the machine: those of node_modules have no npm beside them.
PATH=$(tr : '\n' <<<"$PATH" | grep -v '/node_modules/\.bin$' | paste -sd :)
packages=(buildah podman runc conmon catatonit netavark mmdebstrap ca-certificates)

skip() { echo "The image is not tried: $1"; exit 0; }
fail() { echo "$1" >&2; podman logs "$name" >&2 2>/dev/null || true; exit 1; }
# Images and containers of the test alone, without a file system that the machine may lack.
export CONTAINERS_STORAGE_CONF=$work/storage.conf XDG_RUNTIME_DIR=$work/run
buildah() { command buildah "$@" 2> >(grep -v 'CNI config' >&2); }
# runc runs where both kinds of control groups are mounted, crun does not. Without systemd nothing calls the health check by itself.
podman() { command podman --runtime runc --cgroup-manager=cgroupfs "$@" 2> >(grep -v 'CNI config\|unable to get systemd connection' >&2); }

clean() {
  podman rm --force --time 0 "$name" >/dev/null 2>&1 || true
  for layer in "$work"/storage/overlay/*/merged; do umount "$layer" 2>/dev/null || true; done
  umount "$work/storage/overlay" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT

[ "$(id -u)" = 0 ] || skip 'it takes root.'
if ! { command -v buildah && command -v podman && command -v mmdebstrap && command -v runc && [ -x /usr/libexec/podman/catatonit ]; } >/dev/null 2>&1; then
  { apt-get -qq install -y --no-install-recommends "${packages[@]}" || { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${packages[@]}"; }; } \
    >"$work/apt.log" 2>&1 || skip "apt-get cannot install buildah and podman: $(tail -n 1 "$work/apt.log")"
fi
mkdir -p "$XDG_RUNTIME_DIR"
printf '[storage]\ndriver = "overlay"\nrunroot = "%s"\ngraphroot = "%s"\n' "$work/run/storage" "$work/storage" >"$CONTAINERS_STORAGE_CONF"

# What the public image is for the Containerfile: Debian, Node.js 24 with npm, and the user node.
make_base() {
  local container root npm
  npm=$(npm root --global 2>/dev/null)/npm
  mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --include=ca-certificates bookworm "$work/base.tar" 2>"$work/base.log" || { cat "$work/base.log" >&2; return 1; }
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
  # Where a proxy stands between this machine and the registry, its certificate is trusted in there as well.
  if [ -f "${NODE_EXTRA_CA_CERTS:-}" ]; then
    install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$root/usr/local/share/extra.crt"
    buildah config --env NODE_EXTRA_CA_CERTS=/usr/local/share/extra.crt "$container"
  fi
  buildah umount "$container" >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$base" >/dev/null
}

# npm in the build finds what was downloaded before, and opens more files of it than a container may by default.
build() {
  local files
  files=$(ulimit -Hn)
  buildah build --quiet --ulimit "nofile=$files:$files" --format docker --pull=never --network host --isolation chroot --volume "$(npm config get cache 2>/dev/null):/root/.npm" \
    --file Containerfile --tag "$image" . >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; return 1; }
}

run() {
  local files
  files=$(ulimit -Hn)
  # podman wants higher limits, which takes a right that root lacks in a container.
  podman run --detach --name "$name" --ulimit "nofile=$files:$files" --ulimit nproc=4096:4096 --network host --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --init \
    --volume "$work/data:/data" --env HOST=127.0.0.1 --env PORT="$port" --env STOP_DELAY=1s --stop-timeout 30 "$image" >/dev/null
}
wait_until_healthy() {
  for _ in $(seq 240); do
    if podman healthcheck run "$name" >/dev/null 2>&1; then return; fi
    [ "$(podman inspect --format '{{.State.Running}}' "$name")" = true ] || break
    sleep 0.5
  done
  fail 'The container is not healthy.'
}

step() { echo "-- $1 (${SECONDS} s)"; }
step 'base'
make_base || skip 'its base cannot be made.'
step 'build'
build || fail 'The image cannot be built.'
step 'run'
install -d -o 1000 -g 1000 -m 700 "$work/data"
port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })")
run
wait_until_healthy
[ "$(podman exec "$name" id -u)" = 1000 ] || fail 'It runs as root.'
if podman exec "$name" touch /app/written 2>/dev/null; then fail 'Its root file system can be written to.'; fi
[ "$(podman exec "$name" ddp --version)" = "$(node -p "require('./package.json').version")" ] || fail 'ddp --version is another.'
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
wait_until_healthy
[ "$(account)" = "$organization" ] || fail 'What was stored is gone.'
podman stop "$name" >/dev/null
step 'the image was built and run'
