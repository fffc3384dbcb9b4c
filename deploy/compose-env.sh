#!/bin/sh
# Writes the passwords and keys that compose.yaml needs into .env, mode 0600. Values that are there are kept, so it is safe to run again.
set -eu
cd "$(dirname "$0")/.."
umask 077
touch .env
chmod 600 .env

random() { head -c "$1" /dev/urandom; }
password() { printf 'p%s' "$(random 24 | od -An -v -tx1 | tr -d ' \n')"; } # starts with a letter: NATS reads digits as a number
key() { random 32 | base64 | tr -d '\n'; }
add() {
  if grep -q "^$1=." .env; then return; fi
  if [ -n "$(tail -c 1 .env)" ]; then echo >> .env; fi # the last line has no end
  printf '%s=%s\n' "$1" "$2" >> .env
  echo "tidemark: $1 written to .env"
}

add POSTGRES_SETUP_PASSWORD "$(password)"
add POSTGRES_PASSWORD "$(password)"
add NATS_PASSWORD "$(password)"
add REDIS_PASSWORD "$(password)"
add SEALING_KEYS "$(key)" # sealed secrets can't be read without it
add FLEET_KEYS "$(key)"   # signs the calls between services
