import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Coalescer } from './coalesce.ts';

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

const plan = fc.record({
  /** Turns of the event loop before each item arrives. */
  arrivals: fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }),
  /** Turns each write takes. */
  writes: fc.infiniteStream(fc.nat(4)),
  maxBatch: fc.integer({ min: 1, max: 12 }),
  maxWriters: fc.integer({ min: 1, max: 4 }),
});

describe('a coalescer', () => {
  it('writes every item once, resolves each with its own result and never exceeds the allowed number of writers', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ arrivals, writes, maxBatch, maxWriters }) => {
        const written: number[] = [];
        let writing = 0;
        const coalescer = new Coalescer<number, string>(
          async (items) => {
            writing += 1;
            expect(writing).toBeLessThanOrEqual(maxWriters);
            expect(items.length).toBeLessThanOrEqual(maxBatch);
            await turns(writes.next().value ?? 0);
            written.push(...items);
            writing -= 1;
            return items.map((item) => `result of ${item}`);
          },
          { maxBatch, maxWriters },
        );
        const results: Promise<string>[] = [];
        for (const [item, wait] of arrivals.entries()) {
          await turns(wait);
          results.push(coalescer.add(item));
        }
        expect(await Promise.all(results)).toEqual(arrivals.map((_, item) => `result of ${item}`));
        expect(written.toSorted((a, b) => a - b)).toEqual(arrivals.map((_, item) => item));
      }),
      { numRuns: 100 },
    );
  });

  it('rejects an invalid item only; the other items of its batch are written once each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (bad) => {
        const written: number[] = [];
        const coalescer = new Coalescer<number, number>(async (items) => {
          if (items.some((item) => bad[item])) throw new Error(`can't write ${items}`);
          written.push(...items);
          return items;
        });
        const settled = await Promise.allSettled(bad.map((_, item) => coalescer.add(item)));
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(bad);
        expect(written).toEqual(bad.flatMap((isBad, item) => (isBad ? [] : [item])));
      }),
    );
  });

  it('writes a single item immediately and the items that arrive meanwhile together', async () => {
    const batches: (readonly number[])[] = [];
    const first = Promise.withResolvers<void>();
    const coalescer = new Coalescer<number, number>(async (items) => {
      batches.push(items);
      if (batches.length === 1) await first.promise;
      return items;
    });
    const single = coalescer.add(1);
    await turns(2);
    expect(batches).toEqual([[1]]);
    const rest = [2, 3, 4].map((item) => coalescer.add(item));
    await turns(2);
    first.resolve();
    await Promise.all([single, ...rest]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  it('waits longer after a batch of several entries than after a single one', async () => {
    const batches: { readonly sizes: readonly number[]; readonly atMs: number }[] = [];
    const coalescer = new Coalescer<number, number>(
      async (sizes) => {
        batches.push({ sizes, atMs: performance.now() });
        return sizes;
      },
      { everyMs: 5, busyEveryMs: 400, sizeOf: (size) => size },
    );
    await coalescer.add(1);
    await coalescer.add(4);
    await Promise.all([coalescer.add(1), coalescer.add(1)]);
    await coalescer.add(2);
    expect(batches.map(({ sizes }) => sizes)).toEqual([[1], [4], [1, 1], [2]]);
    const gaps = batches.map(({ atMs }, at) => atMs - (batches[at - 1]?.atMs ?? atMs));
    // The interval starts before the batch is written: on a loaded machine part of it has passed.
    expect(gaps[2]).toBeGreaterThan(200);
  });

  it('rejects when the writer returns too few results', async () => {
    const coalescer = new Coalescer<number, number>(async () => []);
    await expect(coalescer.add(1)).rejects.toThrow('batch of 1 returned 0 results');
  });
});
