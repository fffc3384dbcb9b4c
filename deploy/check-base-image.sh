#!/bin/sh
# Checks the base image of deploy/Dockerfile: check-base-image.sh RELEASE IMAGE. A release build (RELEASE=yes) accepts an image with a digest only.
set -eu
case "$1" in
  no) exit 0 ;;
  yes) ;;
  *) echo "check-base-image: RELEASE is '$1', expected yes or no" >&2; exit 1 ;;
esac
if printf '%s' "$2" | grep -Eqx '[^@[:space:]]+@sha256:[0-9a-f]{64}'; then exit 0; fi
echo "check-base-image: a release is built from a base image with a digest, and NODE is '$2'; expected --build-arg NODE=node:24-slim@sha256:<64 hexadecimal digits>" >&2
exit 1
