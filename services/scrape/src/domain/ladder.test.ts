import { describe, expect, it } from '@jest/globals';
import type { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { creditsToLease, firstRung, nameOf, nextRung, type Rung, rungsFor } from './ladder.ts';

const HTTP: Rung = { tier: 'http', exit: false, credits: 1 };
const HTTP_EXIT: Rung = { tier: 'http', exit: true, credits: 2 };
const BROWSER: Rung = { tier: 'browser', exit: false, credits: 5 };
const BROWSER_EXIT: Rung = { tier: 'browser', exit: true, credits: 10 };
const ladder = [HTTP, HTTP_EXIT, BROWSER, BROWSER_EXIT];

const rungs = (more: Partial<WireOptions>, hasExits = true): string[] =>
  rungsFor(ladder, toCaptureOptions(captureOptions(more)), hasExits).map(nameOf);

describe('rungsFor', () => {
  it.each([
    [{}, ['http', 'http_exit', 'browser', 'browser_exit']],
    [{ maxTier: 'http' }, ['http', 'http_exit']],
    [{ renderJs: 'never' }, ['http', 'http_exit']],
    [{ renderJs: 'always' }, ['browser', 'browser_exit']],
    [{ screenshot: 'full' }, ['browser', 'browser_exit']],
    [{ useProxy: 'never' }, ['http', 'browser']],
    [{ useProxy: 'always' }, ['http_exit', 'browser_exit']],
    [{ country: 'DE' }, ['http_exit', 'browser_exit']],
    [{ waitFor: { selector: '', ms: 500, networkIdle: false } }, ['http', 'http_exit', 'browser', 'browser_exit']],
    [{ waitFor: { selector: '#data', ms: 0, networkIdle: false } }, ['browser', 'browser_exit']],
  ] as const)('returns for %j: %j', (options, expected) => {
    expect(rungs(options)).toEqual(expected);
  });

  it('returns no rung with an exit if there are no exits', () => {
    expect(rungs({}, false)).toEqual(['http', 'browser']);
    expect(rungs({ useProxy: 'always' }, false)).toEqual([]);
  });
});

describe('creditsToLease', () => {
  it('reserves for the dearest rung the page may reach, and no more than its limit', () => {
    expect(creditsToLease([HTTP, BROWSER], undefined)).toEqual({ maxCredits: 5, minCredits: 1 });
    expect(creditsToLease([HTTP, BROWSER], 4)).toEqual({ maxCredits: 1, minCredits: 1 });
  });
});

describe('nextRung', () => {
  const all = { ladder, rungs: ladder, budget: 100 };

  it('returns a rung that gives the page what it lacks', () => {
    expect(nextRung(all, HTTP, 'browser')).toEqual({ rung: BROWSER });
    expect(nextRung(all, HTTP, 'exit')).toEqual({ rung: HTTP_EXIT });
    expect(nextRung(all, HTTP, 'either')).toEqual({ rung: HTTP_EXIT });
    expect(nextRung(all, HTTP_EXIT, 'browser')).toEqual({ rung: BROWSER_EXIT });
    expect(nextRung(all, BROWSER, 'either')).toEqual({ rung: BROWSER_EXIT });
    expect(nextRung(all, BROWSER_EXIT, 'either')).toEqual({ halt: undefined });
  });

  it('reports whether the tier or the budget stopped a page that needs scripts', () => {
    expect(nextRung({ ...all, rungs: [HTTP] }, HTTP, 'browser')).toEqual({ halt: 'TIER_LIMIT' });
    expect(nextRung({ ...all, budget: 4 }, HTTP, 'browser')).toEqual({ halt: 'BUDGET_EXHAUSTED' });
    expect(nextRung({ ...all, budget: 5 }, HTTP, 'browser')).toEqual({ rung: BROWSER });
  });

  it('reports no limit for a refused page, because a dearer rung might not have read it either', () => {
    expect(nextRung({ ...all, rungs: [HTTP] }, HTTP, 'either')).toEqual({ halt: undefined });
  });
});

describe('firstRung', () => {
  it("returns the cheapest rung, or the fingerprint's if the page may use and pay it", () => {
    expect(firstRung({ ladder, rungs: ladder, budget: 10 }, undefined)).toBe(HTTP);
    expect(firstRung({ ladder, rungs: ladder, budget: 10 }, 'browser')).toBe(BROWSER);
    expect(firstRung({ ladder, rungs: ladder, budget: 4 }, 'browser')).toBe(HTTP);
    expect(firstRung({ ladder, rungs: [HTTP], budget: 10 }, 'browser')).toBe(HTTP);
  });
});
