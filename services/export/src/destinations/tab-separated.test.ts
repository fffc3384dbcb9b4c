import { describe, expect, test } from '@jest/globals';
import { nullable } from '@tidemark/datasets';
import type { SyncPlan, SyncRow } from './driver.ts';
import { META_COLUMNS } from './meta-columns.ts';
import { copyCell } from './postgres/copy-text.ts';
import { escapedCell, makeLineEncoder } from './tab-separated.ts';

const AT = new Date('2026-03-04T05:06:07.000Z');
const PLAN: SyncPlan = {
  syncId: 'syn_1',
  projectId: 'prj_1',
  dataset: 'pages',
  runId: 'run_1',
  runAt: AT,
  table: 'pages',
  columns: [nullable('url', 'text', ''), nullable('words', 'int', ''), nullable('extra', 'json', '')],

  mode: 'upsert',
  isFullRun: true,
  isWholeSite: true,
  freeze: false,
  files: { path: '', format: 'jsonl', compression: 'none' },
};

const rowOf = (url: unknown, words: unknown, extra: unknown): SyncRow => ({
  key: [url],
  values: { url, words, extra },
  crawledAt: AT,
});

const cellsOf = (rows: readonly SyncRow[]): string[][] =>
  Buffer.concat([...makeLineEncoder(PLAN, copyCell)(rows)])
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').slice(META_COLUMNS.length));

describe('the lines of COPY and LOAD DATA', () => {
  test('hold one line per row, whose cells contain no separator', () => {
    const text = 'a\tb\nc\rd\\e\u0000f\ud800g';
    expect(cellsOf([rowOf(text, 1, { text })])).toEqual([
      ['a\\tb\\nc\\rd\\\\ef\ufffdg', '1', '{"text":"a\\\\tb\\\\nc\\\\rd\\\\\\\\ef\ufffdg"}'],
    ]);
  });

  test('keep a null apart from an empty text and from a value that repeats', () => {
    const rows = [rowOf('a', 1, null), rowOf(null, 1, null), rowOf('', null, []), rowOf('a', 2, [])];
    expect(cellsOf(rows)).toEqual([
      ['a', '1', '\\N'],
      ['\\N', '1', '\\N'],
      ['', '\\N', '[]'],
      ['a', '2', '[]'],
    ]);
  });

  test('of many rows are divided into chunks, so that a slow connection stops the source', () => {
    const rows = Array.from({ length: 100 }, (_, at) => rowOf(`${at}`.padEnd(5_000, 'x'), at, null));
    const chunks = [...makeLineEncoder(PLAN, copyCell)(rows)];
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(80_000);
    expect(cellsOf(rows).map(([, words]) => Number(words))).toEqual(rows.map((_, at) => at));
  });

  test('leave a text without special characters as it is', () => {
    expect(escapedCell('plain text, Ä and \u{1f30a}')).toBe('plain text, Ä and \u{1f30a}');
  });
});
