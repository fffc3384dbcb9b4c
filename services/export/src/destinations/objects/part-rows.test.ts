import { describe, expect, test } from '@jest/globals';
import { column } from '@tidemark/datasets';
import type { SyncBatch, SyncPlan, SyncRow } from '../driver.ts';
import { encodePart } from './encode-part.ts';
import { PartBuffer } from './part-buffer.ts';
import { partsOf } from './part-rows.ts';

const AT = new Date('2026-03-04T05:06:07.000Z');
const PLAN: SyncPlan = {
  syncId: 'syn_1',
  projectId: 'prj_1',
  dataset: 'markdown',
  runId: 'run_1',
  runAt: AT,
  table: '',
  mode: 'append',

  columns: [column('url', 'text', '')],
  isFullRun: true,
  isWholeSite: true,
  freeze: false,
  files: { path: '', format: 'jsonl', compression: 'none' },
};
const row = (url: string): SyncRow => ({ key: [url], values: { url }, crawledAt: AT });
const batch = (last: number, urls: readonly string[], skipped = 0): SyncBatch => ({
  rows: urls.map(row),
  skipped,
  last,
});

/** A source that counts the batches that were read. */
function sourceOf(batches: readonly SyncBatch[]) {
  const source = {
    read: 0,
    isClosed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const each of batches) {
          source.read += 1;
          yield each;
        }
      } finally {
        source.isClosed = true;
      }
    },
  };
  return source;
}

const LIMITS = { chars: 1_000_000, rows: 3 };

describe('the parts of a sync', () => {
  test('end behind the batch that reaches a limit, and count the rows that were left out', async () => {
    const source = sourceOf([batch(2, ['a', 'b']), batch(4, ['c', 'd'], 1), batch(6, ['e'], 2), batch(9, [], 3)]);
    const parts: object[] = [];
    for await (const part of partsOf(source, PLAN, LIMITS)) {
      const urls: unknown[] = [];
      for await (const rows of part.batches) urls.push(...rows.map(({ url }) => url));
      parts.push({ urls, ...part.counts });
    }
    expect(parts).toEqual([
      { urls: ['a', 'b', 'c', 'd'], rows: 4, skipped: 1, last: 4 },
      { urls: ['e'], rows: 1, skipped: 5, last: 9 },
    ]);
  });

  test('have no rows where only rows that were left out follow', async () => {
    const counts: object[] = [];
    for await (const part of partsOf(sourceOf([batch(3, ['a', 'b', 'c']), batch(4, [], 1)]), PLAN, LIMITS)) {
      for await (const _ of part.batches);
      counts.push(part.counts);
    }
    expect(counts).toEqual([
      { rows: 3, skipped: 0, last: 3 },
      { rows: 0, skipped: 1, last: 4 },
    ]);
  });

  test('read a batch only when the batch before it was encoded, so that a part is in memory once', async () => {
    const source = sourceOf([batch(1, ['a']), batch(2, ['b']), batch(3, ['c']), batch(4, ['d'])]);
    const read: number[] = [];
    for await (const part of partsOf(source, PLAN, LIMITS)) for await (const _ of part.batches) read.push(source.read);
    expect(read).toEqual([1, 2, 3, 4]);
  });

  test('close their source when a sync ends in the middle of a part', async () => {
    const source = sourceOf([batch(1, ['a']), batch(2, ['b'])]);
    for await (const part of partsOf(source, PLAN, LIMITS)) {
      for await (const _ of part.batches) break;
      break;
    }
    expect(source.isClosed).toBe(true);
  });

  test('are encoded into one buffer after another without bytes of the part before', async () => {
    const long = 'x'.repeat(400_000);
    const buffer = new PartBuffer();
    const written: string[][] = [];
    const limits = { chars: 1, rows: 1 };
    for await (const part of partsOf(sourceOf([batch(1, [long, 'a']), batch(2, ['b'])]), PLAN, limits)) {
      const bytes = await encodePart(PLAN, part, buffer);
      const lines = bytes.toString().trimEnd().split('\n');
      written.push(lines.map((line) => String(/"url":"(.*)"/.exec(line)?.[1])));
    }
    expect(written).toEqual([[long, 'a'], ['b']]);
  });
});
