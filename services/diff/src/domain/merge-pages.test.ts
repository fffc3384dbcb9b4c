import { expect, it } from '@jest/globals';
import { collect, readingOf } from '../../test/fixtures/site-pages.ts';
import { mapInOrder } from '../records/build/map-in-order.ts';
import { mergePages, type PagePair } from './merge-pages.ts';
import type { KnownPage, PageReading } from './page-reading.ts';

const known = (pageKey: string): KnownPage => ({
  pageKey,
  url: `http://${pageKey}`,
  state: 'read',
  lastVerdict: 'ok',
  absences: 0,
});

async function* inBatches<Row>(...batches: readonly (readonly Row[])[]): AsyncGenerator<readonly Row[]> {
  yield* batches;
}

const merged = (
  known: AsyncIterable<readonly KnownPage[]>,
  current: AsyncIterable<readonly PageReading[]>,
): Promise<PagePair[]> => collect(mergePages(known, current));

it('mergePages joins known pages and readings by key, for any batch boundaries', async () => {
  const pairs = await merged(
    inBatches([known('a'), known('b')], [], [known('d')]),
    inBatches([readingOf('run', 'http://b')], [readingOf('run', 'http://c'), readingOf('run', 'http://d')]),
  );
  expect(pairs.map(({ pageKey, known, current }) => [pageKey, known !== undefined, current !== undefined])).toEqual([
    ['a', true, false],
    ['b', true, true],
    ['c', false, true],
    ['d', true, true],
  ]);
});

it('mergePages merges two readings with one key and keeps the good one', async () => {
  const refused = readingOf('run', 'http://a/', {
    reading: { verdict: 'blocked', errorCode: 'BLOCKED', requestedKeys: ['x'] },
  });
  const [pair] = await merged(inBatches(), inBatches([refused, readingOf('run', 'https://a')]));
  expect(pair?.current).toMatchObject({ url: 'https://a', verdict: 'ok', requestedKeys: ['x'] });
});

it('mergePages rejects rows that are out of order', async () => {
  await expect(merged(inBatches([known('b'), known('a')]), inBatches())).rejects.toThrow('out of order');
});

it('mapInOrder yields results in item order and respects the concurrency limit', async () => {
  let [running, maxRunning] = [0, 0];
  async function* numbers(): AsyncGenerator<number> {
    for (let at = 0; at < 20; at += 1) yield at;
  }
  const results = mapInOrder(numbers(), 4, async (at) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    for (let turn = 0; turn < (at * 7) % 5; turn += 1) await Promise.resolve();
    running -= 1;
    return at;
  });
  expect(await collect(results)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(maxRunning).toBeLessThanOrEqual(4);
});

it('mapInOrder rejects if a task fails', async () => {
  const results = mapInOrder(inBatches([1], [2], [3]), 2, async ([at]) => {
    if (at === 2) throw new Error('broken');
    return at;
  });
  await expect(collect(results)).rejects.toThrow('broken');
});
