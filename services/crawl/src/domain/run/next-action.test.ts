import { describe, expect, it } from '@jest/globals';
import { nextAction, type RunState } from './next-action.ts';

const standing = (more: Partial<RunState> = {}): RunState => ({
  paused: false,
  isReturning: false,
  stop: undefined,
  isOverdue: false,
  queued: 0,
  inFlight: 0,
  room: 10,
  answered: 5,
  silent: 0,
  isSiteDown: false,
  outOfCreditsForMs: undefined,
  sitemap: 'read',
  feeds: 'none',
  readsSitemapLast: false,
  ...more,
});

describe('a run', () => {
  it.each([
    ['with nothing left is finished', {}, { do: 'stop', stop: 'finished' }],
    ['goes on while pages are in flight', { inFlight: 1 }, { do: 'wait' }],
    ['goes on while its feeds are being read', { feeds: 'waiting' }, { do: 'wait' }],
    [
      'that reads its sitemap last reads its feeds before',
      { sitemap: 'waiting', feeds: 'waiting', readsSitemapLast: true },
      { do: 'wait' },
    ],
    ['goes on while its sitemap is being read', { sitemap: 'waiting' }, { do: 'wait' }],
    [
      'that reads its sitemap last reads it then',
      { sitemap: 'waiting', readsSitemapLast: true },
      { do: 'read_sitemap' },
    ],
    ['at its limit with more to read says so', { room: 0, queued: 3 }, { do: 'stop', stop: 'page_limit' }],
    ['at its limit with nothing left is finished', { room: 0 }, { do: 'stop', stop: 'finished' }],
    ['at its limit waits for pages in flight: some may not count', { room: 0, queued: 3, inFlight: 1 }, { do: 'wait' }],
    ['out of time stops', { isOverdue: true, inFlight: 4 }, { do: 'stop', stop: 'time_limit' }],
    ['whose site is down goes on with what waits', { isSiteDown: true, queued: 4, inFlight: 4 }, { do: 'wait' }],
    ['whose site is down says so at its end', { isSiteDown: true }, { do: 'stop', stop: 'site_down' }],
    [
      'whose site is down says so at its limit',
      { isSiteDown: true, room: 0, queued: 3 },
      { do: 'stop', stop: 'site_down' },
    ],
    ['is not ended by pages without a response in a row', { silent: 99, queued: 4, inFlight: 4 }, { do: 'wait' }],
    ['none of whose pages answered calls its site down', { silent: 1, answered: 0 }, { do: 'stop', stop: 'site_down' }],
    ['just out of credits waits for charges to arrive', { outOfCreditsForMs: 10, queued: 1 }, { do: 'wait' }],
    ['out of credits for good stops', { outOfCreditsForMs: 60_000, queued: 1 }, { do: 'stop', stop: 'credit_limit' }],
    ['that stops waits for pages in flight', { stop: 'page_limit', inFlight: 1 }, { do: 'wait' }],
    ['that stopped ends', { stop: 'page_limit', queued: 9 }, { do: 'end', stop: 'page_limit' }],
    ['that is paused rests once nothing is in flight', { paused: true, queued: 9 }, { do: 'rest' }],
    ['that is paused and out of time rests, too', { paused: true, isOverdue: true }, { do: 'rest' }],
  ] as const)('%s', (_, more, move) => {
    expect(nextAction(standing(more))).toEqual(move);
  });
});
