import { describe, expect, it } from '@jest/globals';
import type { Sync } from '@tidemark/sdk';
import { followedSync, syncProgressOf, withProgress } from './sync-progress.ts';

const ROWS = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0 };
const AT = '2026-03-04T05:06:07.000Z';
const sync = (id: string, given: Partial<Sync> = {}): Sync => ({
  id,
  destinationId: 'dst_1',
  projectId: 'prj_1',
  source: { kind: 'run', id: 'run_1' },
  dataset: 'pages',

  mode: 'upsert',
  trigger: 'manual',
  status: 'done',
  rows: ROWS,
  bytes: 0,
  location: null,
  warnings: [],

  error: null,
  attempts: 1,
  nextAttemptAt: null,
  createdAt: AT,
  startedAt: AT,
  finishedAt: null,
  ...given,
});
const queued = (id: string, nextAttemptAt: string | null = null) => sync(id, { status: 'queued', nextAttemptAt });

describe('the sync whose events are followed', () => {
  it('is the one that runs, or else the oldest that waits without a failed attempt', () => {
    const running = sync('syn_2', { status: 'running' });
    expect(followedSync([queued('syn_3'), running, queued('syn_1')])).toBe(running);
    expect(followedSync([queued('syn_3'), queued('syn_2'), queued('syn_1', AT), sync('syn_0')])?.id).toBe('syn_2');
    expect(followedSync([queued('syn_1', AT), sync('syn_0')])).toBeUndefined();
  });
});

describe('the progress of a sync', () => {
  it('is taken from an event and changes that sync alone', () => {
    const rows = { ...ROWS, read: 2_000, written: 10 };
    const progress = syncProgressOf({ status: 'running', rows, attempts: 2, location: 'table pages' });
    expect(progress).toEqual({ status: 'running', rows, attempts: 2 });
    const [other, changed] = withProgress([queued('syn_2'), queued('syn_1')], 'syn_1', progress ?? queued(''));
    expect(other).toEqual(queued('syn_2'));
    expect(changed).toEqual({ ...queued('syn_1'), status: 'running', rows, attempts: 2 });
  });

  it('is not taken from an event of another form', () => {
    for (const data of [null, 'done', {}, { status: 'running' }, { status: 'new', rows: ROWS }])
      expect(syncProgressOf(data)).toBeUndefined();
  });
});
