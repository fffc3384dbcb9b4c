import { describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { type CallOutcome, ModelPace, type Permit } from './model-pace.ts';

const KEY = 'ws_1 con_1';
const NEVER = new AbortController().signal;
const ANSWERED: CallOutcome = { kind: 'answered' };
const limited = (retryAfterMs?: number): CallOutcome => ({ kind: 'busy', isLimited: true, retryAfterMs });

/** A pace with a clock that is ahead of the real one by `skip` ms. */
function makePace() {
  let aheadMs = 0;
  const pace = new ModelPace(() => performance.now() + aheadMs);
  return {
    skip: (ms: number) => {
      aheadMs += ms;
    },
    acquire: (untilMs = Number.POSITIVE_INFINITY, signal = NEVER) => pace.acquire(KEY, { untilMs, signal }),
  };
}

function permitted(permit: Permit): (outcome: CallOutcome) => void {
  if (permit.kind !== 'permitted') throw new Error(`expected a permit, got ${permit.kind}`);
  return permit.end;
}

describe('the pace of a model', () => {
  it('limits the calls in progress, and gives the permits in the order of the callers', async () => {
    const { acquire } = makePace();
    const order: number[] = [];
    const all = Array.from({ length: 40 }, async (_, at) => {
      const permit = await acquire();
      order.push(at);
      return permit;
    });
    const first = await Promise.all(all.slice(0, 8));
    expect(order).toHaveLength(8);
    permitted(first[0] ?? { kind: 'down' })(ANSWERED);
    await all[8];
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('makes no call before the time of Retry-After, then one call, and the others after its success', async () => {
    const { acquire } = makePace();
    const one = permitted(await acquire());
    const startedAt = performance.now();
    one(limited(200));
    const waiting = [acquire(), acquire(), acquire()];
    const probe = permitted(await Promise.race(waiting));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(199);
    let isSecond = false;
    void waiting[1]?.then(() => {
      isSecond = true;
    });
    await Promise.resolve();
    expect(isSecond).toBe(false);
    probe(ANSWERED);
    for (const next of waiting.slice(1)) permitted(await next)(ANSWERED);
  });

  it('halves the calls in progress after a rate limit, and makes them with an interval', async () => {
    const { acquire } = makePace();
    permitted(await acquire())(limited(1));
    permitted(await acquire())(ANSWERED);
    const startedAt: number[] = [];
    const ends = Array.from({ length: 4 }, async () => {
      const permit = await acquire();
      startedAt.push(performance.now());
      return permit;
    });
    await Promise.all(ends);
    const gaps = startedAt.slice(1).map((at, before) => at - (startedAt[before] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40);
    const fifth = acquire(performance.now() + 100);
    expect(await fifth).toEqual({ kind: 'late' });
  });

  it('doubles only the pauses that it chooses itself: those that the model states do not lengthen them', async () => {
    const { acquire, skip } = makePace();
    for (let calls = 0; calls < 6; calls += 1) {
      permitted(await acquire())(limited(30_000));
      skip(30_001);
    }
    permitted(await acquire())({ kind: 'busy', isLimited: false, retryAfterMs: undefined });
    skip(1_001);
    permitted(await acquire(performance.now() + 5_000 + 7 * 30_001))(ANSWERED);
  });

  it('ends a wait at once where the pause is longer than the time of the caller', async () => {
    const { acquire } = makePace();
    permitted(await acquire())(limited(60_000));
    expect(await acquire(performance.now() + 5_000)).toEqual({ kind: 'late' });
  });

  it('keeps callers waiting while a model fails, until it has failed for ten minutes; then one call is made after each pause', async () => {
    const { acquire, skip } = makePace();
    permitted(await acquire())(limited(100));
    const waiting = acquire();
    skip(10 * 60_000);
    const probe = permitted(await waiting);
    const kept = acquire();
    probe(limited(60_000));
    expect(await kept).toEqual({ kind: 'down' });
    expect(await acquire()).toEqual({ kind: 'down' });
    skip(60_000);
    permitted(await acquire())(ANSWERED);
    permitted(await acquire())(ANSWERED);
  });

  it('makes no call for a minute after three refusals in a row', async () => {
    const { acquire, skip } = makePace();
    for (let calls = 0; calls < 3; calls += 1) permitted(await acquire())({ kind: 'refused' });
    expect(await acquire()).toEqual({ kind: 'down' });
    skip(60_000);
    permitted(await acquire())(ANSWERED);
    permitted(await acquire());
  });

  it('stops waiting when the signal aborts, without using a permit', async () => {
    const { acquire } = makePace();
    const ends = await Promise.all(Array.from({ length: 8 }, () => acquire()));
    const stop = new AbortController();
    const waiting = acquire(Number.POSITIVE_INFINITY, stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    permitted(ends[0] ?? { kind: 'down' })(ANSWERED);
    await until('a permit for the next caller', async () => (await acquire()).kind === 'permitted');
  });
});
