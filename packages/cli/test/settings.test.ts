import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readProfiles, writeProfiles } from '../src/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the settings file', () => {
  it('is readable by its owner only, also where one with other permissions existed', () => {
    const file = join(folder, 'config.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o644);
    writeProfiles(file, { default: { apiKey: 'service_x' } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readProfiles(file)).toEqual({ default: { apiKey: 'service_x' } });
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});
