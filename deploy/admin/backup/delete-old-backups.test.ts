import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteOldBackups } from './delete-old-backups.ts';

describe('the deletion of old backups', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-keep-'));
  beforeAll(() => {
    const names = ['01', '02', '03', '04'].map((day) => `tidemark-2026-12-${day}T03-15-00-000Z`);
    for (const name of [...names, 'mine', '.tidemark-2026-12-05T03-15-00-000Z.partial']) mkdirSync(join(folder, name));
    for (const name of names.slice(0, 3)) writeFileSync(join(folder, name, 'manifest.json'), '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps the newest whole backups, and everything that is no backup', () => {
    deleteOldBackups(folder, 2, () => undefined);
    expect(readdirSync(folder).sort()).toEqual([
      '.tidemark-2026-12-05T03-15-00-000Z.partial',
      'mine',
      'tidemark-2026-12-02T03-15-00-000Z',
      'tidemark-2026-12-03T03-15-00-000Z',
      'tidemark-2026-12-04T03-15-00-000Z',
    ]);
  });

  it.each([0, -1, 1.5, Number.NaN])('is refused for the number %s', (keep) => {
    expect(() => deleteOldBackups(folder, keep, () => undefined)).toThrow('--keep');
  });
});
