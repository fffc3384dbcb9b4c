import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseSharedKeys } from '@tidemark/service';
import { fleetKeys } from './local-keys.ts';

test('the key of the fleet is generated at the first start, readable by its user only, and kept for later starts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-keys-'));
  try {
    const keys = fleetKeys(dataDir);
    expect(parseSharedKeys(keys)).toHaveLength(1);
    expect(statSync(join(dataDir, 'fleet.json')).mode & 0o777).toBe(0o600);
    expect(fleetKeys(dataDir)).toBe(keys);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
