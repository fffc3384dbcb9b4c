import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.ts';

const never = new AbortController().signal;
const queueOf = (capacity: number, maxWaiting: number, reserved = 0): FairQueue =>
  new FairQueue({ capacity, maxWaiting, reserved, slots: 'slots' });

describe('FairQueue', () => {
  it('never admits more callers than its capacity', async () => {
    const queue = queueOf(2, 10);
    const first = await queue.acquire('a', never);
    await queue.acquire('a', never);
    const third = queue.acquire('a', never);
    expect(queue).toMatchObject({ active: 2, waiting: 1 });
    first();
    first();
    await third;
    expect(queue).toMatchObject({ active: 2, waiting: 0 });
  });

  it('serves the workspaces round robin, each in FIFO order', async () => {
    const queue = queueOf(1, 10);
    const order: string[] = [];
    const release = await queue.acquire('a', never);
    const visits = ['a1', 'a2', 'a3', 'b1', 'c1'].map(async (name) => {
      const out = await queue.acquire(name.slice(0, 1), never);
      order.push(name);
      out();
    });
    release();
    await Promise.all(visits);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('rejects callers when full, and evicts the last waiter of the longest queue for a new workspace', async () => {
    const queue = queueOf(1, 2);
    const release = await queue.acquire('a', never);
    const first = queue.acquire('a', never);
    const second = queue.acquire('a', never);
    await expect(queue.acquire('a', never)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    const newcomer = queue.acquire('b', never);
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    release();
    (await first)();
    (await newcomer)();
    expect(queue).toMatchObject({ active: 0, waiting: 0 });
  });

  it('removes a waiter whose signal is aborted', async () => {
    const queue = queueOf(1, 2);
    const release = await queue.acquire('a', never);
    const timeout = new AbortController();
    const waiting = queue.acquire('a', timeout.signal);
    timeout.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    release();
    expect(queue).toMatchObject({ active: 0, waiting: 0 });
  });

  it('admits a workspace that holds nothing at once, though another holds every slot that it may hold', async () => {
    const queue = queueOf(2, 10, 1);
    await queue.acquire('heavy', never);
    await queue.acquire('heavy', never);
    const third = queue.acquire('heavy', never);
    expect(queue).toMatchObject({ active: 2, waiting: 1 });
    const release = await queue.acquire('light', never);
    const second = queue.acquire('light', never);
    expect(queue).toMatchObject({ active: 3, waiting: 2 });
    // The reserved slot is free again for other workspaces, not for those that hold one.
    release();
    await second;
    expect(queue).toMatchObject({ active: 3, waiting: 1 });
    third.catch(() => undefined);
  });

  it('gives a free slot to the workspace that holds the fewest', async () => {
    const queue = queueOf(3, 10);
    const releases = await Promise.all(['heavy', 'heavy', 'light'].map((name) => queue.acquire(name, never)));
    const order: string[] = [];
    const waiting = ['heavy', 'light', 'new'].map(async (name) => {
      await queue.acquire(name, never);
      order.push(name);
    });
    for (const release of releases.slice(0, 2)) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(order).toEqual(['new', 'heavy']);
    releases[2]?.();
    await Promise.all(waiting);
  });
});
