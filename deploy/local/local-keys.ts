import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.ts';

const KEY_BYTES = 32;

/** The keys that secrets are encrypted with at rest. */
export const sealingKeys = (dataDir: string): string => localKeys(dataDir, 'SEALING_KEYS', 'sealing.json');

/** The keys that sign calls between services. */
export const fleetKeys = (dataDir: string): string => localKeys(dataDir, 'FLEET_KEYS', 'fleet.json');

/** Returns the keys of the operator's setting, or those that the first start generated and stored in the data folder. */
function localKeys(dataDir: string, setting: string, fileName: string): string {
  const configured = process.env[setting];
  if (configured !== undefined && configured !== '') return configured;
  const file = join(dataDir, fileName);
  const { keys } = readJson(file);
  if (typeof keys === 'string') return keys;
  const generated = randomBytes(KEY_BYTES).toString('base64');
  writeJson(file, { keys: generated }, 0o600);
  return generated;
}
