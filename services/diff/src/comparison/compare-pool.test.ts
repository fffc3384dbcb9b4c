import { afterEach, describe, expect, it } from '@jest/globals';
import { block, pageOf, readingOf } from '../../test/sample-pages.ts';
import { ComparePool, type ComparePoolOptions } from './compare-pool.ts';
import { bytesOf, StoredBlocks } from './stored-blocks.ts';

const pools: ComparePool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
function poolOf(options: ComparePoolOptions): ComparePool {
  const pool = new ComparePool(options);
  pools.push(pool);
  return pool;
}

const before = readingOf('The price is 129 euros a month.', 'Pay at once.');
const after = readingOf('The price is 149 euros a month.', 'Pay at once.');
const largePage = (step: number) =>
  readingOf(...Array.from({ length: 20_000 }, (_, at) => `block ${(at * step) % 20_011}`));

describe('ComparePool', () => {
  it('returns the result of each pair when pairs are compared concurrently', async () => {
    const pool = poolOf({ threads: 2 });
    const deltas = await Promise.all(Array.from({ length: 20 }, () => pool.compare(before, after)));
    for (const delta of deltas)
      expect(delta).toMatchObject({ isDegraded: false, blocks: [{ op: 'edited', isNumericOnly: true }] });
  });

  it('does not count blocks marked volatile', async () => {
    const [old, now] = [129, 149].map((euros) => block(`The price is ${euros} euros a month.`, { isVolatile: true }));
    if (old === undefined || now === undefined) throw new Error('two blocks expected');
    const delta = await poolOf({ threads: 1 }).compare(pageOf([old]), pageOf([now]));
    expect(delta).toMatchObject({ wordsAdded: 0, blocks: [{ isVolatile: true }] });
  });

  it('runs interactive comparisons before queued background comparisons', async () => {
    const pool = poolOf({ threads: 1 });
    const completed: string[] = [];
    const records = Array.from({ length: 5 }, () => pool.compare(before, after).then(() => completed.push('record')));
    const interactive = await pool.compareNow(before, after).finally(() => completed.push('waited'));
    expect(interactive).toMatchObject({ isDegraded: false, wordsAdded: 1 });
    await Promise.all(records);
    expect(completed.indexOf('waited')).toBeLessThan(2);
  });

  it('returns a degraded result to an interactive caller when no thread is free in time', async () => {
    const pool = poolOf({ threads: 0, deadlineMs: 50 });
    expect(await pool.compareNow(before, after)).toMatchObject({ isDegraded: true, blocks: [{ op: 'replaced' }] });
  });

  it('replaces a hanging thread, returns a degraded result for its pair and compares the next', async () => {
    const pool = poolOf({ threads: 1, deadlineMs: 1_000 });
    const [hung, next] = await Promise.all([pool.compare(largePage(7), largePage(11)), pool.compare(before, after)]);
    expect(hung.isDegraded).toBe(true);
    expect(next).toMatchObject({ isDegraded: false, wordsAdded: 1 });
  });

  it('replaces a thread whose pair exhausts its memory', async () => {
    const pool = poolOf({ threads: 1, heapMb: 12 });
    expect(await pool.compare(largePage(7), largePage(11))).toMatchObject({ isDegraded: true });
    expect(await pool.compare(before, after)).toMatchObject({ isDegraded: false });
  });

  it('degrades large pairs on another thread, not on the event loop', async () => {
    const pool = poolOf({ threads: 0, deadlineMs: 50 });
    class Closed extends StoredBlocks {
      override get blocks(): never {
        throw new Error('blocks were decoded on the event loop');
      }
    }
    const pair = [new Closed(bytesOf(largePage(7))), new Closed(bytesOf(largePage(11)))] as const;
    expect(await pool.compareNow(...pair)).toMatchObject({ isDegraded: true });
  });

  it('rejects only a damaged pair', async () => {
    const pool = poolOf({ threads: 1 });
    const damaged = new StoredBlocks(new Uint8Array([255, 255, 255]));
    await expect(pool.compare(damaged, damaged)).rejects.toMatchObject({ code: 'internal' });
    expect(await pool.compare(before, after)).toMatchObject({ isDegraded: false });
  });

  it('rejects a pair when the queue is full', async () => {
    const pool = poolOf({ threads: 1, maxWaiting: 0 });
    await expect(pool.compare(before, after)).rejects.toThrow('too many pages are queued for comparison');
  });
});
