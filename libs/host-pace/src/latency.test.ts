import { describe, expect, it } from '@jest/globals';
import { LATENCY, type LatencyState, latencyDelayMs, withSample } from './latency.ts';

const responsesOf = (count: number, ms: number, from?: LatencyState): LatencyState | undefined => {
  let state = from;
  for (let i = 0; i < count; i += 1) state = withSample(state, { ms, isError: false });
  return state;
};

describe('latency of a host', () => {
  it.each([20, 200, 499])('of %i ms causes no delay, however much slower it became', (ms) => {
    expect(latencyDelayMs(responsesOf(50, ms, { averageMs: 1, usualMs: 1 }), 8)).toBe(0);
  });

  it('that was always high causes no delay: the concurrency limits such a host', () => {
    expect(latencyDelayMs(responsesOf(50, 5_000), 8)).toBe(0);
  });

  it('that varies by a factor of two causes no delay', () => {
    let state = responsesOf(20, 1_000);
    for (let i = 0; i < 50; i += 1) state = withSample(state, { ms: i % 2 === 0 ? 1_000 : 2_000, isError: false });
    expect(latencyDelayMs(state, 8)).toBe(0);
  });

  it('moves the delay toward latency / target concurrency, where the target falls with the latency', () => {
    const slower = responsesOf(40, 2_000, { averageMs: 100, usualMs: 100 });
    // 8 requests at a time are normal up to 500 ms: at 2 s the target is 2, and the delay about 1 s.
    expect(latencyDelayMs(slower, 8)).toBeGreaterThan(800);
    expect(latencyDelayMs(slower, 8)).toBeLessThan(1_100);
    expect(latencyDelayMs(responsesOf(40, 3_000, slower), 8)).toBeGreaterThan(latencyDelayMs(slower, 8));
  });

  it('never lowers the target below one request at a time, nor raises the delay above its limit', () => {
    expect(latencyDelayMs({ averageMs: 4_000, usualMs: 100 }, 2)).toBe(4_000);
    expect(latencyDelayMs({ averageMs: 60_000, usualMs: 100 }, 8)).toBe(LATENCY.maxDelayMs);
  });

  it('causes no delay for one slow page among fast ones', () => {
    const state = withSample(responsesOf(20, 100), { ms: 30_000, isError: false });
    expect(latencyDelayMs(state, 8)).toBe(0);
  });

  it('removes the delay when the host is fast again', () => {
    const slow = responsesOf(40, 2_000, { averageMs: 100, usualMs: 100 });
    expect(latencyDelayMs(responsesOf(20, 100, slow), 8)).toBe(0);
  });

  it('removes the delay of a host that stays slow after some hundred responses', () => {
    const slow = responsesOf(40, 2_000, { averageMs: 100, usualMs: 100 });
    expect(latencyDelayMs(responsesOf(500, 2_000, slow), 8)).toBe(0);
  });

  it('of an error never lowers the delay, and may raise it', () => {
    const slow = responsesOf(40, 2_000, { averageMs: 100, usualMs: 100 });
    expect(slow).toBeDefined();
    expect(slow && withSample(slow, { ms: 5, isError: true })).toEqual(slow);
    const raised = slow && withSample(slow, { ms: 4_000, isError: true });
    expect(latencyDelayMs(raised, 8)).toBeGreaterThan(latencyDelayMs(slow, 8));
    expect(withSample(undefined, { ms: 5, isError: true })).toBeUndefined();
  });
});
