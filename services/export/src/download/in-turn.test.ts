import { describe, expect, it } from '@jest/globals';
import { FairQueue } from '@tidemark/service';
import { inTurn } from './in-turn.ts';

const { signal } = new AbortController();
const queueOf = (capacity: number) => new FairQueue({ capacity, maxWaiting: 10, slots: 'reads' });

/** Sources of three batches each, which count the reads that are under way. */
class Sources {
  reading = 0;
  most = 0;
  closed = 0;

  async *batches(): AsyncGenerator<number> {
    try {
      for (let batch = 1; batch <= 3; batch += 1) {
        this.reading += 1;
        this.most = Math.max(this.most, this.reading);
        await new Promise((resolve) => setImmediate(resolve));
        this.reading -= 1;
        yield batch;
      }
    } finally {
      this.closed += 1;
    }
  }
}

async function allOf(values: AsyncIterable<number>): Promise<number[]> {
  const read: number[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('the reads of downloads', () => {
  it('take turns, and every download receives all of its batches in order', async () => {
    const sources = new Sources();
    const queue = queueOf(2);
    const downloads = Array.from({ length: 6 }, () =>
      allOf(inTurn(sources.batches(), { queue, workspaceId: 'ws_1', signal })),
    );
    expect(await Promise.all(downloads)).toEqual(downloads.map(() => [1, 2, 3]));
    expect([sources.most, queue.active, sources.closed]).toEqual([2, 0, 6]);
  });

  it('are not blocked by a client that does not read its file', async () => {
    const sources = new Sources();
    const queue = queueOf(1);
    const idle = inTurn(sources.batches(), { queue, workspaceId: 'ws_1', signal });
    expect((await idle.next()).value).toBe(1);
    expect(await allOf(inTurn(sources.batches(), { queue, workspaceId: 'ws_1', signal }))).toEqual([1, 2, 3]);
    await idle.return(undefined);
    expect(sources.closed).toBe(2);
  });

  it('end their turn when a source fails', async () => {
    const queue = queueOf(1);
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error('the archive is unavailable');
    }
    await expect(allOf(inTurn(failing(), { queue, workspaceId: 'ws_1', signal }))).rejects.toThrow(
      'the archive is unavailable',
    );
    expect(queue.active).toBe(0);
  });
});
