import { expect, it } from '@jest/globals';
import type { Sync } from '@tidemark/api';
import { Sync as WireSync } from '@tidemark/contracts/export/v1/destinations';
import { AppError } from '@tidemark/errors';
import { callerIn } from '@tidemark/testkit';
import type { ServerEvent } from '../../http/endpoint.ts';
import { JobFeeds } from '../../streams/job-feeds.ts';
import { streamJob } from '../../streams/stream-job.ts';
import { toSync } from './destination-response.ts';
import { syncFeedSource } from './sync-endpoints.ts';

const call = callerIn('ws', { keyId: 'key', scope: 'read' });
const COMMON = {
  id: 'syn_1',
  destinationId: 'dst_1',
  projectId: 'prj_1',
  sourceKind: 'run',
  sourceId: 'run_1',
  dataset: 'pages',

  mode: 'upsert',
  trigger: 'manual',
  createdAt: new Date(0),
  attempts: 1,
};
const render = (): never => {
  throw new AppError('internal', 'a sync has no pages');
};

it.each([
  ['done', undefined, { error: null, location: 'table pages' }],
  ['error', { code: 'refused', message: 'wrong password', hint: 'Check it.' }, { error: { code: 'refused' } }],
] as const)(
  'the events of a sync are its progress, each state once, and at last how it ended: %s',
  async (status, error, end) => {
    const states = [
      { status: 'queued', read: 0 },
      { status: 'running', read: 1_000 },
      { status: 'running', read: 1_000 },
      { status: 'running', read: 2_000 },
      { status, error, read: 3_000, written: 3_000, location: 'table pages' },
    ];
    let at = -1;
    const source = syncFeedSource(async () => {
      at = Math.min(at + 1, states.length - 1);
      return toSync(WireSync.fromPartial({ ...COMMON, ...states[at] }));
    });
    const stream = { jobId: 'syn_1', call, lastEventId: '', source, render };
    const events: ServerEvent[] = [];
    for await (const event of streamJob(new JobFeeds<Sync, never>(), stream, AbortSignal.timeout(30_000)))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: end });
    const progress = events.slice(0, -1);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.every(({ event }) => event === 'progress')).toBe(true);
    const shown = progress.map(({ data }) => JSON.stringify(data));
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown.join()).toContain('"read":2000');
  },
);
