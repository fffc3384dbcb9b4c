import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SampleTask } from './fixtures/sample-worker.ts';
import { RankedQueue } from './ranked-queue.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';
import { workerModule } from './worker-module.ts';
import type { TimeLimit } from './worker-thread.ts';

const opened: Pool[] = [];
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool.close();
});

type Pool = ThreadPool<SampleTask, string, string>;
type Options = ThreadPoolOptions<SampleTask, string, string>;

function poolOf(options: Partial<Options> = {}): Pool {
  const pool: Pool = new ThreadPool({
    module: workerModule('./fixtures/sample-worker', import.meta.url),
    threads: 1,
    life: { kind: 'kept' },
    limits: { heapMb: 64, bufferMb: 100, startMs: 60_000 },
    queue: new RankedQueue(),
    maxWaiting: 100,
    ...options,
  });
  opened.push(pool);
  return pool;
}

const GENEROUS: TimeLimit = { clock: 'wall', ms: 60_000 };
const run = (pool: Pool, request: SampleTask, { limit = GENEROUS, order = 0 } = {}): Promise<string> =>
  pool.run({ order, post: () => ({ request, limit }) });
const named = (pool: Pool, value: string, order = 0): Promise<string> => run(pool, { do: 'return', value }, { order });

describe('ThreadPool', () => {
  it('runs tasks by rank, then in the order of arrival', async () => {
    const pool = poolOf();
    await named(pool, 'warm');
    const results = await Promise.all([
      named(pool, 'running'),
      named(pool, 'late', 1),
      named(pool, 'first'),
      named(pool, 'second'),
    ]);
    expect(results).toEqual(['running 2', 'late 5', 'first 3', 'second 4']);
  });

  it('fails only a task that throws, and keeps its thread', async () => {
    const pool = poolOf();
    await expect(run(pool, { do: 'throw' })).rejects.toMatchObject({ kind: 'error', message: 'the task failed' });
    expect(await named(pool, 'next')).toBe('next 2');
  });

  it.each([
    ['fills the heap of its thread', 'fill-heap', 'memory'],
    ['fills memory outside the heap', 'fill-buffers', 'memory'],
    ['ends its thread', 'exit', 'exit'],
  ] as const)('replaces the thread of a task that %s', async (_, what, kind) => {
    const pool = poolOf();
    await expect(run(pool, { do: what })).rejects.toMatchObject({ kind });
    expect(await named(pool, 'next')).toBe('next 1');
  });

  it('replaces the thread of a task that exceeds its time on the wall', async () => {
    const pool = poolOf();
    const hanging = run(pool, { do: 'wait' }, { limit: { clock: 'wall', ms: 20 } });
    await expect(hanging).rejects.toMatchObject({ kind: 'time' });
    expect(await named(pool, 'next')).toBe('next 1');
  });

  it('ends a task at its limit of CPU time, and not while it only waits', async () => {
    const pool = poolOf({ threads: 2 });
    const startedAtMs = performance.now();
    const limit: TimeLimit = { clock: 'cpu', ms: 200 };
    const waiting = run(pool, { do: 'wait' }, { limit }).catch(() => performance.now() - startedAtMs);
    await expect(run(pool, { do: 'compute', cpuMs: 60_000 }, { limit })).rejects.toMatchObject({ kind: 'time' });
    // A task that uses no CPU time ends after five times its limit.
    expect(await waiting).toBeGreaterThanOrEqual(990);
  });

  it('does not count the start of a thread for the limit of a task', async () => {
    const pool = poolOf({ life: { kind: 'per_task' } });
    // A thread needs more than 1 ms to start, this task less.
    expect(await run(pool, { do: 'return', value: 'done' }, { limit: { clock: 'cpu', ms: 30 } })).toBe('done 1');
  });

  it('gives each task a new thread if its life is one task', async () => {
    const pool = poolOf({ life: { kind: 'per_task' } });
    expect(await Promise.all([named(pool, 'a'), named(pool, 'b')])).toEqual(['a 1', 'b 1']);
  });

  it('repeats a task that was sent behind one that ended its thread', async () => {
    const pool = poolOf({ isPostedBehind: true });
    await named(pool, 'warm');
    const [ended, behind] = await Promise.allSettled([run(pool, { do: 'exit' }), named(pool, 'behind')]);
    expect(ended).toMatchObject({ status: 'rejected', reason: { kind: 'exit' } });
    expect(behind).toMatchObject({ status: 'fulfilled', value: 'behind 1' });
  });

  it('passes on an interim result of a task that then exceeds its limit', async () => {
    const pool = poolOf();
    const interim: string[] = [];
    const posting = { request: { do: 'report' }, limit: { clock: 'wall', ms: 100 } } as const;
    const running = pool.run({ order: 0, post: () => posting, onInterim: (value) => interim.push(value) });
    await expect(running).rejects.toMatchObject({ kind: 'time' });
    expect(interim).toEqual(['half']);
  });

  it('drops a waiting task at its signal, and refuses tasks above the length of the queue', async () => {
    const pool = poolOf({ maxWaiting: 1 });
    await named(pool, 'warm');
    const hanging = run(pool, { do: 'wait' }, { limit: { clock: 'wall', ms: 200 } });
    const drop = new AbortController();
    const posting = { request: { do: 'return', value: 'dropped' }, limit: GENEROUS } as const;
    const waiting = pool.run({ order: 0, post: () => posting, dropSignal: drop.signal });
    await expect(named(pool, 'refused')).rejects.toMatchObject({ kind: 'full' });
    drop.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'dropped' });
    const next = named(pool, 'next');
    await expect(hanging).rejects.toMatchObject({ kind: 'time' });
    expect(await next).toBe('next 1');
  });

  it('fails a task if its thread does not start, and starts one for the next task only', async () => {
    const pool = poolOf({ life: { kind: 'on_demand', idleMs: 60_000 }, workerData: 'broken' });
    await expect(named(pool, 'a')).rejects.toMatchObject({ kind: 'start', message: 'the module does not load' });
    await expect(named(pool, 'b')).rejects.toMatchObject({ kind: 'start' });
  });

  it('ends idle threads and starts new ones on demand', async () => {
    const pool = poolOf({ life: { kind: 'on_demand', idleMs: 1 } });
    expect(await named(pool, 'a')).toBe('a 1');
    while (pool.threadCount > 0) await nextTurn();
    expect(await named(pool, 'b')).toBe('b 1');
  });

  it('can not be used after a failure if its thread has a state', async () => {
    const pool = poolOf({ life: { kind: 'stateful' } });
    const [ended, waiting] = await Promise.allSettled([run(pool, { do: 'exit' }), named(pool, 'waiting')]);
    expect([ended, waiting]).toMatchObject([{ reason: { kind: 'exit' } }, { reason: { kind: 'exit' } }]);
    await expect(named(pool, 'later')).rejects.toMatchObject({ kind: 'exit' });
  });

  it('fails tasks that run or wait when it is closed, and later ones', async () => {
    const pool = poolOf();
    const tasks = [run(pool, { do: 'wait' }), named(pool, 'waiting')].map((task) => task.catch(({ kind }) => kind));
    await pool.close();
    expect(await Promise.all(tasks)).toEqual(['closed', 'closed']);
    await expect(named(pool, 'later')).rejects.toMatchObject({ kind: 'closed' });
  });
});
