import { describe, expect, it } from '@jest/globals';
import { endText, stopNote, whyQueued } from './run-log-text.ts';

describe('run log texts', () => {
  it('state why a run is queued', () => {
    expect(whyQueued('schedule', 0)).toBe('due by schedule');
    expect(whyQueued('recrawl', 1)).toBe('1 page requested again');
    expect(whyQueued('recrawl', 7)).toBe('7 pages requested again');
  });

  it('summarize the results by verdict, most frequent first', () => {
    expect(endText(12, { blocked: 2, ok: 10 }, 'finished')).toBe(
      '12 pages: 10 ok, 2 blocked; nothing was left to visit',
    );
    expect(endText(0, {}, undefined)).toBe('0 pages');
  });

  it('name each reached limit by its setting', () => {
    const scope = { maxPages: 5, timeLimitMinutes: 3 };
    const noted = (['page_limit', 'time_limit', 'credit_limit', 'login_dead', 'finished', 'site_down'] as const).map(
      (stop) => stopNote(stop, scope)?.what,
    );
    expect(noted).toEqual(['limit', 'limit', 'credits', 'login', undefined, undefined]);
    expect(stopNote('page_limit', scope)?.why).toContain('max_pages: 5 pages');
  });
});
