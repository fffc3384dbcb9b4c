#!/bin/sh
# Brings the toolchain (Node, pnpm, packages, generated code) from the package registry; safe to run again.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.tidemark-installed
sum=$(cat package.json pnpm-workspace.yaml pnpm-lock.yaml services/*/package.json libs/*/package.json | sha256sum)
if [ "$(cat $stamp 2>/dev/null || true)" != "$sum" ]; then
  echo "tidemark: installing packages (about half a minute on a first run)"
  npx --yes pnpm@12.21.0 install --frozen-lockfile --reporter=append-only --loglevel=warn || {
    echo "tidemark: the packages could not be installed. What was expected: the npm registry answering to 'npm ping'." >&2
    exit 1
  }
  echo "$sum" > $stamp
fi
export PATH="$PWD/node_modules/.bin:$PATH"
stamp=node_modules/.tidemark-generated
gen=$(find proto services/*/prisma/schema.prisma buf.gen.yaml -type f -exec cat {} + | sha256sum)
if [ "$(cat $stamp 2>/dev/null || true)" != "$gen" ] || [ ! -d libs/contracts/src/gen ]; then
  echo "tidemark: generating code from proto/ and the Prisma schemas"
  pnpm run --silent gen > .tidemark-gen.log 2>&1 || { cat .tidemark-gen.log >&2; rm -f .tidemark-gen.log; exit 1; }
  rm -f .tidemark-gen.log
  echo "$gen" > $stamp
fi
