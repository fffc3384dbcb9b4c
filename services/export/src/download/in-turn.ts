import type { FairQueue } from '@tidemark/service';

/** Turns to read a batch, in a process that encodes files of several workspaces. */
export interface Turns {
  readonly queue: FairQueue;
  readonly workspaceId: string;
  readonly signal: AbortSignal;
}

/** Reads each value in a turn. A consumer that does not read holds no turn. @throws what `FairQueue.acquire` throws */
export async function* inTurn<T>(values: AsyncIterable<T>, { queue, workspaceId, signal }: Turns): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  const read = async (): Promise<IteratorResult<T>> => {
    const release = await queue.acquire(workspaceId, signal);
    try {
      return await iterator.next();
    } finally {
      release();
    }
  };
  try {
    for (let next = await read(); next.done !== true; next = await read()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
