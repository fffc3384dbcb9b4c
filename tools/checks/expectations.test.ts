import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');
const TABLE = 'docs/operate/README.md';
const COUNT = 25;

/** A line of the table: what operators expect, and what meets it. */
interface Expectation {
  readonly number: number;
  readonly expected: string;
  readonly metBy: string;
}

const lines: readonly Expectation[] = [
  ...readFileSync(join(ROOT, TABLE), 'utf8').matchAll(/^\| (\d+) \| (.+?) \| (.+) \|$/gm),
].map(([, number, expected = '', metBy = '']) => ({ number: Number(number), expected, metBy }));

/** Paths of files and folders in the text: code with a slash, and linked documents of the root. */
const filesIn = (text: string): string[] => [
  ...[...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\/?)`/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/\b([A-Z]+\.md)\b/g)].map(([, path = '']) => path),
];

/** Titles of tests that the text quotes after the file that has them. */
const titlesIn = (text: string): [file: string, title: string][] =>
  [...text.matchAll(/`([\w./-]+\.ts)`: "([^"]+)"/g)].map(([, file = '', title = '']) => [file, title]);

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const admin = readFileSync(join(ROOT, 'deploy/admin/main.ts'), 'utf8');

describe(`the expectations of operators in ${TABLE}`, () => {
  it(`are ${COUNT}, numbered in their order`, () => {
    expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1));
  });

  it.each(lines)('$number ($expected) names a file or test, and each that it names exists', ({ metBy }) => {
    const files = filesIn(metBy);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const missing = titlesIn(metBy).filter(([file, title]) => !readFileSync(join(ROOT, file), 'utf8').includes(title));
    expect(missing).toEqual([]);
  });

  it.each(lines)('$number names commands that exist', ({ metBy }) => {
    const commands = [...metBy.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
    const ofAdmin = [...metBy.matchAll(/`tidemark-admin ([\w-]+)/g)].map(([, name = '']) => name);
    expect(ofAdmin.filter((name) => !new RegExp(`^  (async )?'?${name}'?\\(`, 'm').test(admin))).toEqual([]);
  });
});
