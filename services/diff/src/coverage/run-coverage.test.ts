import { describe, expect, it } from '@jest/globals';
import { type Baseline, coverageOf, isDoubtful, mayVerify, type RecordedRun, type ScanCounts } from './run-coverage.ts';

const run = (more: Partial<RecordedRun> = {}): RecordedRun => ({
  id: 'run_2',
  projectId: 'prj_1',
  isRecrawl: false,
  status: 'done',
  stop: 'finished',
  isSeedRead: true,
  isSitemapUnreadable: false,
  isRobotsUnreadable: false,
  scopeHash: 'scope',
  finishedAt: '2026-01-01T00:00:00.000Z',
  estimate: undefined,
  ...more,
});

const baseline: Baseline = { runId: 'run_1', startedAtMs: 0, isComplete: true, scopeHash: 'scope' };

const counts = (more: Partial<ScanCounts> = {}): ScanCounts => ({
  known: 100,
  present: 100,
  read: 100,
  unreadable: 0,
  unreached: 0,
  verified: 0,
  newlyMissing: 0,
  outOfScope: 0,
  hasGenericPage: false,
  ...more,
});

describe('coverageOf for a complete run', () => {
  it('returns a verdict without reasons', () => {
    expect(coverageOf(run(), baseline, counts({ verified: 2, outOfScope: 3 }))).toEqual({
      verdict: true,
      complete: true,
      reasons: [],
      known: 100,
      read: 100,
      unread: 0,
      probed: 2,
      baselineComplete: true,
      outOfScope: 3,
      estimate: undefined,
    });
  });
});

describe('coverageOf for an incomplete or doubtful run', () => {
  it.each([
    ['stop_limit', run({ stop: 'page_limit' }), counts(), { complete: false, verifies: false, doubt: false }],
    ['stop_budget', run({ stop: 'credit_limit' }), counts(), { complete: false, verifies: false, doubt: false }],
    ['stop_time', run({ stop: 'time_limit' }), counts(), { complete: false, verifies: false, doubt: false }],
    [
      'stop_cancelled',
      run({ status: 'cancelled', stop: 'cancelled' }),
      counts(),
      { complete: false, verifies: false, doubt: false },
    ],
    [
      'stop_error',
      run({ status: 'error', stop: undefined }),
      counts(),
      { complete: false, verifies: false, doubt: false },
    ],
    [
      'nothing_read',
      run({ status: 'error', stop: 'refused' }),
      counts(),
      { complete: false, verifies: false, doubt: true },
    ],
    [
      'nothing_read',
      run({ status: 'error', stop: 'robots' }),
      counts(),
      { complete: false, verifies: false, doubt: true },
    ],
    ['login_expired', run({ stop: 'login_dead' }), counts(), { complete: false, verifies: false, doubt: true }],
    ['seed_failed', run({ stop: 'site_down' }), counts(), { complete: false, verifies: false, doubt: true }],
    ['seed_failed', run({ isSeedRead: false }), counts(), { complete: false, verifies: false, doubt: true }],
    [
      'sitemap_unreadable',
      run({ isSitemapUnreadable: true }),
      counts(),
      { complete: false, verifies: true, doubt: false },
    ],
    [
      'robots_unreadable',
      run({ isRobotsUnreadable: true }),
      counts(),
      { complete: false, verifies: true, doubt: false },
    ],
    ['scope_changed', run({ scopeHash: 'other' }), counts(), { complete: true, verifies: true, doubt: false }],
    [
      'listed_only',
      run({ isRecrawl: true, scopeHash: 'list' }),
      counts(),
      { complete: false, verifies: true, doubt: false },
    ],
    ['blocked_share', run(), counts({ read: 79, unreadable: 21 }), { complete: false, verifies: false, doubt: true }],
    ['mass_removal', run(), counts({ newlyMissing: 31 }), { complete: true, verifies: false, doubt: true }],
    [
      'host_fingerprint_changed',
      run(),
      counts({ hasGenericPage: true }),
      { complete: true, verifies: false, doubt: true },
    ],
  ] as const)('returns no verdict with reason %s', (reason, of, found, { complete, verifies, doubt }) => {
    const coverage = coverageOf(of, baseline, found);
    expect(coverage).toMatchObject({ verdict: false, complete, reasons: [reason] });
    expect([mayVerify(coverage), isDoubtful(coverage)]).toEqual([verifies, doubt]);
  });

  it('returns no verdict with reason no_baseline for a first run', () => {
    expect(coverageOf(run(), undefined, counts({ present: 0 }))).toMatchObject({
      verdict: false,
      complete: true,
      reasons: ['no_baseline'],
      baselineComplete: false,
    });
  });
});

it('coverageOf lists every reason that applies', () => {
  const coverage = coverageOf(
    run({ stop: 'page_limit', isSitemapUnreadable: true }),
    baseline,
    counts({ newlyMissing: 90 }),
  );
  expect(coverage.reasons).toEqual(['stop_limit', 'sitemap_unreadable', 'mass_removal']);
});

it('coverageOf gives a verdict when shares equal the thresholds or only two pages disappeared', () => {
  expect(coverageOf(run(), baseline, counts({ read: 80, unreadable: 20, newlyMissing: 30 })).verdict).toBe(true);
  expect(coverageOf(run(), baseline, counts({ present: 3, newlyMissing: 2 })).verdict).toBe(true);
});
