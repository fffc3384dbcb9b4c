import { describe, expect, it } from '@jest/globals';
import { STOP_REASONS } from '@tidemark/contracts';
import fc from 'fast-check';
import { hasCoverage, outcomeOf, type PageEnds } from './run-outcome.ts';

const ends = (verdict: string, errorCode = 'OK', pages = 1, isHostGivenUp = false): PageEnds => ({
  verdict,
  errorCode,
  isHostGivenUp,
  pages,
});
const blocked = (errorCode: string, pages = 1) => ends('blocked', errorCode, pages);
const robots = (pages = 1) => ends('robots', 'BLOCKED', pages);

describe('outcomeOf', () => {
  it.each(['ok', 'thin', 'cached', 'skipped'])(
    'lets a run be done that read one page with the verdict %s',
    (verdict) => {
      const pages = [ends(verdict), blocked('NETWORK', 40), robots(3)];
      expect(outcomeOf('page_limit', pages)).toEqual({ status: 'done', stop: 'page_limit' });
    },
  );

  it.each([
    ['site_down', [blocked('NETWORK', 3)]],
    ['site_down', [blocked('TIMEOUT')]],
    ['site_down', [ends('robots', 'BLOCKED', 2, true)]],
    ['refused', [blocked('BLOCKED')]],
    ['refused', [blocked('CAPTCHA', 2)]],
    ['refused', [blocked('LOGIN_REQUIRED')]],
    ['refused', [blocked('RATE_LIMITED')]],
    ['refused', [blocked('GEO_RESTRICTED')]],
    ['refused', [blocked('TIER_LIMIT')]],
    ['refused', [blocked('SHELL')]],
    ['robots', [robots(4)]],
  ] as const)('fails with %s a run of which every page ended as %j', (stop, pages) => {
    expect(outcomeOf('finished', pages)).toMatchObject({ status: 'error', stop });
  });

  it('takes the most frequent reason, and of equally frequent ones site_down before refused before robots', () => {
    expect(outcomeOf('finished', [blocked('NETWORK'), blocked('BLOCKED', 2)])).toMatchObject({ stop: 'refused' });
    expect(outcomeOf('finished', [robots(5), blocked('NETWORK', 2), blocked('CAPTCHA', 2)])).toMatchObject({
      stop: 'robots',
    });
    expect(outcomeOf('finished', [robots(2), blocked('BLOCKED', 2)])).toMatchObject({ stop: 'refused' });
    expect(outcomeOf('finished', [blocked('BLOCKED'), blocked('CAPTCHA'), blocked('NETWORK', 2)])).toMatchObject({
      stop: 'site_down',
    });
  });

  it('states the number of pages by reason', () => {
    expect(outcomeOf('finished', [blocked('NETWORK', 3), blocked('CAPTCHA'), robots()])).toMatchObject({
      error:
        'no page could be read: the site did not respond for 3 pages, the site refused 1 page, robots.txt disallows 1 page',
    });
  });

  it('lets a run be done whose pages do not exist, as that is what it found', () => {
    expect(outcomeOf('finished', [blocked('NOT_FOUND', 2)])).toEqual({ status: 'done', stop: 'finished' });
    expect(outcomeOf('finished', [blocked('NOT_FOUND', 2), blocked('NETWORK', 3)])).toMatchObject({
      stop: 'site_down',
    });
  });

  it('keeps the stop reason of a run without pages, without credits, or ended by its owner', () => {
    expect(outcomeOf('finished', [])).toEqual({ status: 'done', stop: 'finished' });
    expect(outcomeOf('credit_limit', [blocked('BUDGET_EXHAUSTED')])).toEqual({ status: 'done', stop: 'credit_limit' });
    expect(outcomeOf('login_dead', [blocked('LOGIN_REQUIRED')])).toEqual({ status: 'done', stop: 'login_dead' });
  });

  it('names no stop reason where pages were lost by this service', () => {
    expect(outcomeOf('finished', [ends('lost', '', 2)])).toMatchObject({ status: 'error', stop: undefined });
  });

  it('fails exactly where nothing was read, and depends on the sums alone', () => {
    const page = fc.record({
      verdict: fc.constantFrom('ok', 'thin', 'cached', 'skipped', 'blocked', 'robots', 'lost'),
      errorCode: fc.constantFrom('OK', 'NETWORK', 'TIMEOUT', 'BLOCKED', 'CAPTCHA', 'NOT_FOUND', 'BUDGET_EXHAUSTED'),
      isHostGivenUp: fc.boolean(),
      pages: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...STOP_REASONS), fc.array(page), fc.nat(), (stop, pages, turn) => {
        const outcome = outcomeOf(stop, pages);
        const isRead = pages.some(({ verdict }) => ['ok', 'thin', 'cached', 'skipped'].includes(verdict));
        if (isRead) expect(outcome).toEqual({ status: 'done', stop });
        const at = pages.length === 0 ? 0 : turn % pages.length;
        expect(outcomeOf(stop, [...pages.slice(at), ...pages.slice(0, at)])).toEqual(outcome);
        const single = pages.flatMap((each) => Array.from({ length: each.pages }, () => ({ ...each, pages: 1 })));
        expect(outcomeOf(stop, single)).toEqual(outcome);
      }),
    );
  });
});

describe('hasCoverage', () => {
  it.each([
    [true, 'schedule', 'done', { ok: 1, blocked: 9 }],
    [true, 'crawl', 'done', { thin: 1 }],
    [false, 'recrawl', 'done', { ok: 3 }],
    [false, 'api', 'cancelled', { ok: 3 }],
    [false, 'api', 'error', { ok: 3 }],
    [false, 'api', 'done', { blocked: 3 }],
    [false, 'api', 'done', {}],
  ] as const)('is %s for a run started by %s that is %s with %j', (expected, trigger, status, verdicts) => {
    expect(hasCoverage({ trigger, verdicts }, status)).toBe(expected);
  });
});
