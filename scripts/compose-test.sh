# shellcheck shell=bash
# Runs the image behind Caddy and over PostgreSQL, as compose.yaml and docs/deployment.md describe. image-test.sh
# sources this file, which uses its image, storage and functions. The test is about compose.yaml, so PostgreSQL and
# Caddy are Debian's, under the names of the public images. Debian's podman-compose starts services, but ignores the
# conditions of `depends_on`, and its `exec` and `run` hide failures: so each step waits by itself, and podman runs the
# commands.
project=ddp-test-$$
folder=$work/compose
https_port=$(free_port)
compose() {
  podman-compose --file "$folder/compose.yaml" --project-name "$project" "$@" 2>"$work/compose.log" || { cat "$work/compose.log" >&2; fail "podman-compose $*" "${project}_ddp-1_1"; }
}
container() { echo "${project}_$1_1"; }
# Addresses are fixed and listed in a hosts file. podman's name server may not answer for a while after a container
# starts or stops, and a container that restarts with another hardware address is unreachable until the others resolve
# it again.
host() { case $1 in postgres) echo 2 ;; ddp-1) echo 3 ;; ddp-2) echo 4 ;; esac; }
up() {
  compose --podman-run-args="--ip $network.$(host "$1") --mac-address 02:00:00:00:00:0$(host "$1")" up --detach "$1" >/dev/null
  wait_until_healthy "$(container "$1")"
}
# Creates a network with a subnet that is free on the machine. Another run may use one, or have left one when it was
# killed.
make_network() {
  local part
  for part in $(shuf --input-range 0-255 --head-count 20); do
    network=10.123.$part
    if podman network create --disable-dns --subnet "$network.0/24" --ip-range "$network.128/25" "${project}_default" >/dev/null 2>"$work/network.log"; then return; fi
  done
  fail "There is no network for the containers: $(tail -n 1 "$work/network.log")"
}
# Runs a `ddp` command in a new container, with the settings of a service and a folder for backups.
once() {
  podman run --rm --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --network "${project}_default" --env-file "$work/service.env" \
    --volume "$work/backups:/backups" device-data-platform "$@" >"$work/once.log" 2>&1 || { cat "$work/once.log" >&2; fail "ddp $*" "$(container postgres)"; }
}
call() {
  curl --silent --show-error --cacert "$work/root.crt" --output "$work/answer" --write-out '%{http_code}' --header "Authorization: Bearer $token" \
    --header 'Content-Type: application/json' "$@" 2>"$work/curl.log"
}
expect() { local status; status=$(call "${@:2}") || true; [ "$status" = 200 ] || fail "$1: $status $(cat "$work/curl.log" "$work/answer")" "$(container ddp-1)"; }

# Does what the public PostgreSQL image does: creates a cluster for POSTGRES_USER in an empty volume and runs the
# server.
cat >"$work/postgres.sh" <<'SCRIPT'
#!/bin/sh
set -e
folder=/var/lib/postgresql/18
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }
install -d -o postgres -g postgres /run/postgresql
if ! [ -s "$folder/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$folder"
  echo "$POSTGRES_PASSWORD" >/run/postgresql/password
  chown postgres /run/postgresql/password
  as_postgres initdb --pgdata "$folder" --username "$POSTGRES_USER" --pwfile /run/postgresql/password --auth-local trust --auth-host scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >>"$folder/pg_hba.conf"
  echo "create database $POSTGRES_DB;" | as_postgres postgres --single -D "$folder" postgres >/dev/null
fi
exec setpriv --reuid postgres --regid postgres --init-groups "$@" -D "$folder" -c listen_addresses='*'
SCRIPT
make_others() {
  local container programs
  wait "$others" || return 1
  others=
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/others.tar" / >/dev/null
  buildah copy --quiet --chmod 755 "$container" "$work/postgres.sh" /usr/local/bin/postgres.sh >/dev/null
  programs=$(tar -tf "$work/others.tar" | grep -o 'usr/lib/postgresql/[0-9]*/bin/' | head -n 1)
  buildah config --env "PATH=/$programs:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" --entrypoint '["postgres.sh"]' "$container"
  buildah commit --quiet "$container" docker.io/library/postgres:18 >/dev/null
  buildah config --entrypoint '[]' --cmd '["caddy", "run", "--config", "/etc/caddy/Caddyfile"]' --env XDG_DATA_HOME=/data "$container"
  buildah commit --quiet --rm "$container" docker.io/library/caddy:2 >/dev/null
}

step 'images of PostgreSQL and Caddy'
make_others || fail 'They cannot be made.'
mkdir -p "$folder/ops"
cp compose.yaml "$folder"
cp -r ops/caddy "$folder/ops"
sed "s/^\(SECRET_KEY\|POSTGRES_PASSWORD\|METRICS_TOKEN\)=\$/\1=$(node -p "crypto.randomBytes(32).toString('hex')")/" ops/compose.env.example >"$folder/.env"
printf 'HTTP_PORT=%s\nHTTPS_PORT=%s\n' "$(free_port)" "$https_port" >>"$folder/.env"

step 'PostgreSQL, the migration, two processes, Caddy'
make_network
for service in postgres ddp-1 ddp-2; do echo "$network.$(host "$service") $service" >>"$work/hosts"; done
up postgres
compose up --detach migrate >/dev/null
[ "$(podman wait "$(container migrate)")" = 0 ] || fail 'The migration failed.' "$(container migrate)"
up ddp-1
up ddp-2
compose up --detach caddy >/dev/null
base=https://localhost:$https_port/ddp/v1
podman exec "$(container ddp-1)" ddp organization create --username compose --email compose@example.com >"$work/made" || fail "ddp organization create" "$(container ddp-1)"
token=$(grep -o 'ddp_[A-Za-z0-9_-]*' "$work/made")
for _ in $(seq 60); do
  if podman exec "$(container caddy)" cat /data/caddy/pki/authorities/local/root.crt >"$work/root.crt" 2>/dev/null; then break; fi
  sleep 0.5
done
expect 'the account, by TLS' --retry 20 --retry-delay 1 --retry-all-errors "$base/account"
organization=$(node -p "JSON.parse(require('fs').readFileSync('$work/answer')).id")
expect 'a device' --request POST --data '{}' "$base/organizations/$organization/devices/be-f0"
podman exec "$(container ddp-1)" ddp doctor >"$work/doctor" || fail "ddp doctor: $(cat "$work/doctor")"

step 'both processes are replaced under requests'
requests() {
  while [ ! -e "$work/over" ]; do
    call --data '{"serial":"be-f0","data":{"level":2}}' "$base/organizations/$organization/records" || true
    echo
  done
}
requests >"$work/statuses" &
for process in ddp-1 ddp-2; do
  podman rm --force --time 30 "$(container "$process")" >/dev/null
  up "$process"
  # Caddy takes this long to notice that the process is back.
  sleep 3
done
touch "$work/over"
wait %% || true
[ "$(sort -u "$work/statuses")" = 200 ] || fail "Requests failed: $(sort "$work/statuses" | uniq -c | paste -sd ' ')" "$(container caddy)"
echo "$(wc -l <"$work/statuses") records were posted meanwhile, each answered 200."

step 'a backup, and a restore into a new database'
install -d -m 700 -o 1000 "$work/backups"
podman inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$(container ddp-1)" | grep . >"$work/service.env"
once backup /backups/ddp.backup
expect 'a device after the backup' --request POST --data '{}' "$base/organizations/$organization/devices/af-01"
podman exec "$(container postgres)" createdb --username ddp restored >/dev/null || fail createdb "$(container postgres)"
podman rm --force --time 30 "$(container ddp-1)" "$(container ddp-2)" >/dev/null
sed -i 's/^DATABASE=.*/DATABASE=restored/' "$folder/.env"
sed -i 's,/ddp$,/restored,' "$work/service.env"
once restore /backups/ddp.backup
up ddp-1
up ddp-2
expect 'the devices after the restore' --retry 20 --retry-delay 1 --retry-all-errors "$base/organizations/$organization/devices"
grep -q be-f0 "$work/answer" || fail 'The restore lacks a device.'
if grep -q af-01 "$work/answer"; then fail 'The processes are not on the restored database.'; fi

step 'PostgreSQL is killed'
podman kill "$(container postgres)" >/dev/null
podman start "$(container postgres)" >/dev/null
wait_until_healthy "$(container postgres)"
expect 'a record after that' --retry 30 --retry-delay 1 --retry-all-errors --data '{"serial":"be-f0","data":{"level":3}}' "$base/organizations/$organization/records"
