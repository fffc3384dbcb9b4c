import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from '../json-file.ts';

const PASSWORD_BYTES = 24;

/** Returns a random password that needs no escaping in a URL, an SQL literal or a configuration file. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

/** Passwords of the servers that have one account. */
export interface ServerPasswords {
  readonly nats: string;
  readonly redis: string;
}

/** Returns the passwords of a data folder: those in `passwords.json`, otherwise new ones, stored there with mode 0600. */
export function serverPasswords(dataDir: string): ServerPasswords {
  const file = join(dataDir, 'passwords.json');
  const { nats, redis } = readJson(file);
  if (typeof nats === 'string' && typeof redis === 'string') return { nats, redis };
  const made = { nats: newPassword(), redis: newPassword() };
  writeJson(file, made, 0o600);
  return made;
}
