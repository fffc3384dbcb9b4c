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
const response = (status: number, retryAfter?: string): HttpResponse => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: Buffer.alloc(0),
  statusText: '',
  requestHeaders: {},
  bytesOnWire: 0,
  landedUrl: 'http://a.example/',
  redirects: [],
  truncated: false,
  exitBytes: 0,
  latencyMs: 1,
  httpVersion: '1.1',
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

  it.each([
    [200, false],
    [304, false],
    [403, false],
    [404, false],
    [429, true],
    [500, true],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
  ])('returns a wait for the status %i only if it is transient', (status, isRetried) => {
    expect(retryWaitMs(response(status), state()) !== undefined).toBe(isRetried);
  });

  it('follows Retry-After in seconds or as a date, and returns undefined where it exceeds the time of the page', () => {
    expect(retryWaitMs(response(429, '10'), state())).toBe(10_000);
    expect(retryWaitMs(response(503, 'Tue, 01 Jan 2030 00:00:03 GMT'), state())).toBe(3_000);
    expect(retryWaitMs(response(429, '20'), state({ remainingMs: 30_000 }))).toBe(20_000);
    expect(retryWaitMs(response(429, '20'), state({ remainingMs: 20_000 }))).toBeUndefined();
  });

  it('waits at least a second after a 429 or 503, whatever Retry-After says', () => {
    const quick = state({ random: 0 });
    const outcomes = [
      response(429),
      response(503),
      response(429, '0'),
      response(503, 'soon'),
      response(429, 'Mon, 31 Dec 2029 00:00:00 GMT'),
    ];
    expect(outcomes.map((outcome) => retryWaitMs(outcome, quick))).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    expect([retryWaitMs(response(500), quick), retryWaitMs(response(502), quick)]).toEqual([0, 0]);
  });

  it('returns undefined for every response of a host that the caller paces', () => {
    const paced = [response(429), response(503, '1'), response(503), response(500), response(502)];
    expect(paced.map((outcome) => retryWaitMs(outcome, state({ isPaced: true })))).toEqual(paced.map(() => undefined));
    expect(retryWaitMs(failed('reset'), state({ isPaced: true }))).toBe(250);
  });
});
