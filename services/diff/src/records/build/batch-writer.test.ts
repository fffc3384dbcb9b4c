import { describe, expect, it } from '@jest/globals';
import { BatchWriter } from './batch-writer.ts';

const ITEMS = Array.from({ length: 1_234 }, (_, at) => at);

describe('BatchWriter', () => {
  it('passes every item on once, in order, one batch at a time', async () => {
    const written: number[] = [];
    let concurrent = 0;
    const writer = new BatchWriter<number>(async (batch) => {
      concurrent += 1;
      expect(concurrent).toBe(1);
      await new Promise(setImmediate);
      written.push(...batch);
      concurrent -= 1;
    });
    for (const item of ITEMS) await writer.put(item);
    expect(writer.written).toBe(ITEMS.length);
    await writer.flush();
    expect(written).toEqual(ITEMS);
  });

  it('drain resolves after the pending write has ended, even if it failed', async () => {
    const writing = Promise.withResolvers<void>();
    let isOver = false;
    const writer = new BatchWriter<number>(() => writing.promise.finally(() => (isOver = true)));
    for (const item of ITEMS.slice(0, 500)) await writer.put(item);
    const drained = writer.drain().then(() => isOver);
    writing.reject(new Error('database unavailable'));
    expect(await drained).toBe(true);
  });

  it('rejects at the latest on flush if a batch could not be written', async () => {
    const writer = new BatchWriter<number>(async () => {
      throw new Error('database unavailable');
    });
    const write = async (): Promise<void> => {
      for (const item of ITEMS) await writer.put(item);
      await writer.flush();
    };
    await expect(write()).rejects.toThrow('database unavailable');
  });
});
