#!/bin/sh
# Brings the toolchain (Node, pnpm, packages, generated code) from the package registry; safe to run again, and twice at once.
set -eu
cd "$(dirname "$0")/.."
mkdir -p -m 700 .tidemark # data, keys and passwords are kept there
exec 9> .tidemark/bootstrap.lock
flock 9 2> /dev/null || true # `npm start` and `npm test` side by side: one installs, the other waits

stamp=node_modules/.tidemark-installed
sum=$(cat package.json pnpm-workspace.yaml pnpm-lock.yaml bench/package.json tools/openapi/package.json services/*/package.json libs/*/package.json packages/*/package.json | sha256sum)
if [ "$(cat $stamp 2>/dev/null || true)" != "$sum" ]; then
  echo "tidemark: installing packages (about half a minute on a first run)"
  # pnpm by the checksums of deploy/pnpm/package-lock.json; those of all other packages, Node included, are in pnpm-lock.yaml.
  pnpm=.tidemark/tools/$(sha256sum < deploy/pnpm/package-lock.json | cut -c -16)-pnpm
  if [ ! -d "$pnpm" ]; then
    rm -rf "$pnpm.new"
    mkdir -p "$pnpm.new"
    cp deploy/pnpm/package.json deploy/pnpm/package-lock.json "$pnpm.new/"
    npm ci --prefix "$pnpm.new" --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null || {
      echo "tidemark: pnpm could not be fetched, or differs from its checksum; expected access to the npm registry (check with 'npm ping')." >&2
      exit 1
    }
    mv "$pnpm.new" "$pnpm"
  fi
  pnpm=$(echo "$pnpm"/node_modules/@pnpm/exe.linux-*/pnpm) # of this processor
  "$PWD/$pnpm" install --frozen-lockfile --reporter=append-only --loglevel=warn || {
    echo "tidemark: the packages could not be installed; expected access to the npm registry (check with 'npm ping') and 1.2 GB of free disk space. Run the same command again." >&2
    exit 1
  }
  if ! node_modules/.bin/node --version > /dev/null 2>&1; then
    echo "tidemark: there is no packaged Node 24 for this machine ($(uname -sm)); expected Linux on x64 or arm64 with glibc. Use Docker instead: docker compose up --build." >&2
    exit 1
  fi
  echo "$sum" > $stamp
fi

export PATH="$PWD/node_modules/.bin:$PATH"
stamp=node_modules/.tidemark-generated
gen=$(find proto services/*/prisma/schema.prisma buf.gen.yaml tools/proto -type f -exec cat {} + | sha256sum)
generated=yes
for dir in libs/contracts/src/gen $(grep -l '^generator' services/*/prisma/schema.prisma | sed 's#/prisma/.*#/src/generated#'); do
  [ -d "$dir" ] || generated=no
done
if [ "$generated" = no ] || [ "$(cat $stamp 2>/dev/null || true)" != "$gen" ]; then
  echo "tidemark: generating code from proto/ and the Prisma schemas"
  # Prisma would otherwise write state files to the home folder.
  XDG_CONFIG_HOME="$PWD/.tidemark/config" pnpm run --silent gen > .tidemark/generate.log 2>&1 || {
    cat .tidemark/generate.log >&2
    echo "tidemark: the code could not be generated; the lines above say why." >&2
    exit 1
  }
  echo "$gen" > $stamp
fi

# The types of the clients are derived from the REST contract, which changes more often than the files above.
stamp=node_modules/.tidemark-client-types
types=$(find libs/api/src libs/datasets/src libs/errors/src libs/project-config/src libs/results/src libs/webhook-events/src tools/clients -name '*.ts' -exec cat {} + | sha256sum)
if [ ! -d packages/sdk/src/generated ] || [ ! -d packages/cli/src/generated ] || [ ! -d clients/python/src/tidemark/generated ] || [ "$(cat $stamp 2>/dev/null || true)" != "$types" ]; then
  node --conditions=tidemark-source tools/clients/generate.ts
  echo "$types" > $stamp
fi

# Scripts and styles of the pages that the gateway serves beside the console.
stamp=node_modules/.tidemark-web-pages
pages=$(find libs/web-pages libs/html/src packages/sdk/src/whole-words.ts pnpm-lock.yaml -name node_modules -prune -o -name dist -prune -o -name generated -prune -o -type f -exec cat {} + | sha256sum)
if [ ! -d libs/web-pages/src/generated ] || [ "$(cat $stamp 2>/dev/null || true)" != "$pages" ]; then
  node --conditions=tidemark-source libs/web-pages/build.config.ts
  echo "$pages" > $stamp
fi
