#!/usr/bin/env bash
# `npm run test:image`: builds the image as root, without a container engine, and runs the program in it as its user.
# Needs Debian's buildah and debootstrap, a copy of the project without changes, and about 10 GB in TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
export PORT=${PORT:-18080} TICKLAKE_OPERATION_PORT=${TICKLAKE_OPERATION_PORT:-19090}

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf --one-file-system "$folder"' EXIT
buildah() { command buildah --root "$folder/store" --runroot "$folder/run" --storage-driver vfs "$@"; }

# Stands for the image of this name, from Debian's own packages. Builds trust the authorities that this machine trusts.
debootstrap --variant=minbase --include=ca-certificates trixie "$folder/debian"
cp /etc/ssl/certs/ca-certificates.crt "$folder/debian/usr/local/share/ca-certificates/machine.crt"
chroot "$folder/debian" update-ca-certificates
debian=$(buildah from scratch)
buildah add --quiet "$debian" "$folder/debian" /
buildah commit --quiet --rm "$debian" docker.io/library/debian:trixie-slim

git clone --quiet . "$folder/project"
buildah bud --isolation chroot --pull-never --file "$folder/project/deploy/container/Containerfile" \
  --tag ticklake "$folder/project"

container=$(buildah from --pull-never ticklake)
run() {
  buildah run --isolation chroot --env "PORT=$PORT" --env "TICKLAKE_OPERATION_PORT=$TICKLAKE_OPERATION_PORT" "$container" -- "$@"
}
[ "$(run id -u)" = 10001 ]
run ticklake --version
run ticklake demo >"$folder/said" 2>&1 &
until grep -q '^ *try ' "$folder/said"; do kill -0 $!; sleep 1; done
cat "$folder/said"
run node -e "fetch('http://127.0.0.1:$TICKLAKE_OPERATION_PORT/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))"
# The printed query, as the image has no curl.
query=$(sed -n "s/^ *try .*'\(.*\)'\$/\1/p" "$folder/said")
run node -e "
  const headers = { 'x-api-key': require('fs').readFileSync('/srv/ticklake/demo-key', 'utf8').trim() };
  fetch('$query', { headers }).then((answer) => answer.json()).then(({ data }) => {
    console.log(data);
    process.exit(data.length === 3 ? 0 : 1);
  });"
echo 'The image is built, and the program in it answers.'
