import { describe, expect, it } from '@jest/globals';
import type { Change, ChangeRecord } from '@tidemark/sdk';
import { idsByRun, mergeOpen, sinceLastReview } from './since-review.ts';

const entry = (runId: string, url: string, kind: Change['kind'] = 'modified'): Change => ({
  id: `chg_${runId}_${url}`,
  runId,
  url,
  kind,
  reason: null,
  explanation: null,
  section: '',
  title: null,
  volatile: false,

  wordsAdded: 1,
  wordsRemoved: 1,
  blocks: [],
  fields: [],
  movedFrom: null,
  returned: false,
  numericOnly: false,

  reordered: false,
  degraded: false,
  truncated: false,
  templateRefs: [],
  template: null,
  baselineRunId: null,

  verdicts: { before: 'ok', now: 'ok' },
  links: null,
  firstSeenAt: '2026-11-22T10:00:00.000Z',
  reviewed: false,

  reviewedBy: null,
  reviewedAt: null,
  alerts: [],
});
const record = (runId: string, baseline: string, entries: Change[]): ChangeRecord => ({
  runId,
  baseline,
  entries,
  status: 'made',
  error: null,
  madeAt: null,
  counts: null,
  coverage: null,
  moved: 0,

  selectorBreaks: [],
  digest: null,
  next: null,
  cursor: null,
  creditsUsed: 0,
  request_id: '',
});

describe('the changes since the last review', () => {
  it('end at the newest record whose changes are all reviewed', () => {
    const records = [
      record('r4', 'r3', [entry('r4', '/a')]),
      record('r3', 'r2', []),
      record('r2', 'r1', [entry('r2', '/b')]),
    ];
    expect(sinceLastReview(records).map(({ runId }) => runId)).toEqual(['r4']);
    expect(sinceLastReview(records.slice(2))).toHaveLength(1);
  });

  it('show a page that changed in several runs once, compared with what was reviewed', () => {
    const records = [
      record('r4', 'r3', [entry('r4', '/a'), entry('r4', '/new')]),
      record('r3', 'r2', [entry('r3', '/a'), entry('r3', '/new', 'added')]),
    ];
    const [page, added] = mergeOpen(records);
    expect(page).toMatchObject({ newest: { runId: 'r4', kind: 'modified' }, from: 'r2' });
    expect(added).toMatchObject({ newest: { runId: 'r4', kind: 'added' }, from: undefined });
    expect(page === undefined ? undefined : [...idsByRun(page)]).toEqual([
      ['r4', ['chg_r4_/a']],
      ['r3', ['chg_r3_/a']],
    ]);
  });
});
