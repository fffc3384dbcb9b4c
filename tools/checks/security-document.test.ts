import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** The columns of the table of cases: case, tests, result. */
const rows = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '))
  .filter((cells) => cells.length === 3 && cells[0] !== 'case' && cells[0] !== '---')
  .map(([name = '', tests = '']) => ({ name, tests }));

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Returns the paths of the files that a cell names. */
const filesOf = (tests: string): string[] => matches(tests, /`([^`\s]+)`/g).filter((name) => /\.(?:ts|py)$/.test(name));

/** Returns the scripts of package.json that a cell names. */
const scriptsOf = (tests: string): string[] => matches(tests, /`npm run ([\w:]+)/g);

describe('docs/security.md', () => {
  it('has a test for each case', () => {
    expect(rows.length).toBeGreaterThan(40);
    for (const { name, tests } of rows)
      expect([name, filesOf(tests).length + scriptsOf(tests).length > 0]).toEqual([name, true]);
  });

  it('names files and scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    for (const { name, tests } of rows) {
      const missing = filesOf(tests).filter((file) => !existsSync(join(ROOT, file)));
      const unknown = scriptsOf(tests).filter((script) => !Object.hasOwn(scripts, script));
      expect([name, missing, unknown]).toEqual([name, [], []]);
    }
  });

  it('quotes titles that the named files contain, with “…” for what is left out', () => {
    for (const { name, tests } of rows) {
      const sources = filesOf(tests).map((file) => readFileSync(join(ROOT, file), 'utf8'));
      const absent = matches(tests, /"([^"]+)"/g).filter((title) => {
        const parts = title.split('…').map((part) => part.trim());
        return !sources.some((source) => parts.every((part) => source.includes(part)));
      });
      expect([name, absent]).toEqual([name, []]);
    }
  });
});
