import { describe, expect, it } from '@jest/globals';
import { FetchFailed, type HttpResponse } from '@tidemark/egress';
import { type RetryState, retryWaitMs } from './retry-wait.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const state = (more: Partial<RetryState> = {}): RetryState => ({
  retries: 0,
  remainingMs: 60_000,
  isPaced: false,
  now: NOW,
  random: 1,
  ...more,
});
const answer = (status: number, retryAfter?: string): HttpResponse => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: Buffer.alloc(0),
  bytesOnWire: 0,
  landedUrl: 'http://a.example/',
  redirects: [],
  truncated: false,
  exitBytes: 0,
  httpVersion: '1.1',
});
const failed = (kind: ConstructorParameters<typeof FetchFailed>[0], code?: string) =>
  new FetchFailed(kind, code === undefined ? {} : { cause: Object.assign(new Error('x'), { code }) });

describe('the wait before another try', () => {
  it('doubles from a quarter of a second up to four, all of it jitter', () => {
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
  ])('of %s is there only where it may pass', (failure, isTried) => {
    expect(retryWaitMs(failure, state()) !== undefined).toBe(isTried);
  });

  it.each([
    [200, false],
    [304, false],
    [403, false],
    [404, false],
    [429, true],
    [500, false],
    [502, true],
    [503, true],
    [504, true],
  ])('of status %i is there only where it may pass', (status, isTried) => {
    expect(retryWaitMs(answer(status), state()) !== undefined).toBe(isTried);
  });

  it('is the Retry-After of the site up to ten seconds, in seconds or by date; a longer one ends the retries', () => {
    expect(retryWaitMs(answer(429, '10'), state())).toBe(10_000);
    expect(retryWaitMs(answer(503, 'Tue, 01 Jan 2030 00:00:03 GMT'), state())).toBe(3_000);
    expect(retryWaitMs(answer(429, 'Mon, 31 Dec 2029 00:00:00 GMT'), state())).toBe(250);
    expect(retryWaitMs(answer(429, 'soon'), state())).toBe(250);
    expect(retryWaitMs(answer(429, '11'), state())).toBeUndefined();
    expect(retryWaitMs(answer(429, '5'), state({ remainingMs: 5_000 }))).toBeUndefined();
  });

  it('is undefined for a host that another component paces', () => {
    const paced = state({ isPaced: true });
    expect(retryWaitMs(answer(429), paced)).toBeUndefined();
    expect(retryWaitMs(answer(503, '1'), paced)).toBeUndefined();
    expect([retryWaitMs(answer(503), paced), retryWaitMs(answer(502), paced)]).toEqual([250, 250]);
  });
});
