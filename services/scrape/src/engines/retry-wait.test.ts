import { describe, expect, it } from '@jest/globals';
import { FetchFailed } from '@tidemark/egress';
import { type RetryState, retryWaitMs } from './retry-wait.ts';

const state = (more: Partial<RetryState> = {}): RetryState => ({
  retries: 0,
  remainingMs: 60_000,
  random: 1,
  ...more,
});
const failed = (kind: ConstructorParameters<typeof FetchFailed>[0], code?: string) =>
  new FetchFailed(kind, code === undefined ? {} : { cause: Object.assign(new Error('x'), { code }) });

describe('retryWaitMs', () => {
  it('doubles from 250 ms up to 4 s, with full jitter', () => {
    const waits = [0, 1, 2, 3, 4, 5, 20].map((retries) => retryWaitMs(failed('reset'), state({ retries })));
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
    expect(retryWaitMs(failed('reset'), state({ random: 0, retries: 3 }))).toBe(0);
  });

  it.each([
    [failed('reset'), true],
    [failed('refused'), true],
    [failed('timeout'), true],
    [failed('dns', 'EAI_AGAIN'), true],
    [failed('dns', 'ENOTFOUND'), false],
    [failed('dns'), false],
    [failed('tls'), false],
    [failed('too_large'), false],
    [failed('egress'), false],
    [failed('exit'), false],
    [failed('protocol'), false],
    [failed('redirect_loop'), false],
  ])('returns a wait for %s only if it is transient', (failure, isRetried) => {
    expect(retryWaitMs(failure, state()) !== undefined).toBe(isRetried);
  });

  it('returns undefined where the wait would use up the remaining time', () => {
    expect(retryWaitMs(failed('reset'), state({ remainingMs: 250 }))).toBeUndefined();
    expect(retryWaitMs(failed('reset'), state({ remainingMs: 251 }))).toBe(250);
  });
});
