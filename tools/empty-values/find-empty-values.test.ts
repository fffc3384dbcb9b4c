import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findEmptyValues } from './find-empty-values.ts';

const MESSAGE = `export interface Message {
  url: string;
  /** Absent: none. */
  title?: string | undefined;
  /** Absent: unchanged. Empty: no name. */
  name?: string | undefined;
  status?: number | undefined;
}
`;

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-empty-')));
afterAll(() => rmSync(dir, { recursive: true }));

/** Returns what is found in each function, by its line. */
function findingsOf(functions: readonly string[]): string[] {
  const lines = ["import type { Message } from './contracts/message.ts';", ...functions];
  mkdirSync(join(dir, 'contracts'), { recursive: true });
  writeFileSync(join(dir, 'contracts/message.ts'), MESSAGE);
  writeFileSync(join(dir, 'code.ts'), `${lines.join('\n')}\n`);
  const options = { strict: true, noEmit: true, module: 'nodenext', allowImportingTsExtensions: true, types: [] };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts', '*/*.ts'] }));
  return findEmptyValues(dir, join(dir, 'tsconfig.json'), '/contracts/').map(({ line, what }) => `${line} ${what}`);
}

describe('the lint of empty values', () => {
  it('finds each reading that treats the empty value of an optional field as its absence', () => {
    const found = findingsOf([
      "export const a = (m: Message) => m.title === '';",
      "export const b = ({ title }: Message) => title !== '';",
      "export const c = ({ title: head }: Message) => head ?? '';",
      'export const d = (m: Message) => (m.title ? 1 : 2);',
      'export const e = (m: Message) => m.title || null;',
      'export const f = (m: Message) => !m.title;',
      'export const g = (m: Message) => m.status === 0;',
      "export const h = (m: Message) => { const t = m.title; return t ?? ''; };",
      "export const i = (m: Message | undefined) => m?.title === '';",
    ]);
    expect(found.map((text) => Number(text.split(' ')[0]))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('finds texts under a name of their own that may be undefined and are compared with an empty text', () => {
    expect(findingsOf(["export const a = (head: string | undefined) => head === '';"])).toEqual([
      '2 compares with an empty value head, which may be undefined',
    ]);
  });

  it('finds an empty value that is written to an optional field', () => {
    const found = findingsOf([
      "export const a = (t: string | null): Message => ({ url: '', title: t ?? '' });",
      "export const b = (isSet: boolean): Message => ({ url: 'x', title: isSet ? 'x' : '' });",
      "export const c = (count: number): Message => ({ url: '', status: 0, title: String(count + 0) });",
      "export const d = (status: number): Message => ({ url: '', status: status + 0 });",
    ]);
    expect(found).toEqual([
      '2 writes an empty value to title, an optional field',
      '3 writes an empty value to title, an optional field',
      '4 writes an empty value to status, an optional field',
    ]);
  });

  it("finds '' that is written to a text of another type that may be undefined", () => {
    const found = findingsOf([
      'interface Own { readonly q?: string | undefined; readonly name: string }',
      "export const a: Own = { q: '', name: '' };",
      "export const b: RequestInit = { body: '' };",
    ]);
    expect(found).toEqual(['3 writes an empty value to q, an optional field']);
  });

  it('accepts fields that are present, comparisons with undefined, and fields with two such values', () => {
    const found = findingsOf([
      "export const a = (m: Message) => m.url === '' || m.url;",
      'export const b = (m: Message) => m.title === undefined;',
      "export const c = (m: Message) => (m.name !== undefined && m.name === '' ? null : m.name);",
      'export const d = (m: Message) => m.title ?? null;',
      "export const e = (texts: readonly string[]) => texts[0] === '';",
    ]);
    expect(found).toEqual([]);
  });
});
