import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.ts';

const KEY_BYTES = 32;

/** The keys secrets are sealed with: the operator's, or one made at the first start and kept beside the data it opens. */
export function sealingKeys(dataDir: string): string {
  const configured = process.env['SEALING_KEYS'];
  if (configured !== undefined && configured !== '') return configured;
  const file = join(dataDir, 'sealing.json');
  const { keys } = readJson(file);
  if (typeof keys === 'string') return keys;
  const made = randomBytes(KEY_BYTES).toString('base64');
  writeJson(file, { keys: made }, 0o600);
  return made;
}
