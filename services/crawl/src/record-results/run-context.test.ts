import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { captureOptions } from '@tidemark/testkit';
import type { Run } from '../domain/run/run.ts';
import { RunContexts } from './run-context.ts';

const runOf = (id: string): Run => ({
  id,
  no: 1n,
  actorId: '',
  workspaceId: 'ws',
  projectId: undefined,
  destinationId: undefined,
  seed: 'https://example.com/',
  scope: Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first' }),
  options: captureOptions(),
  trigger: 'crawl',
  requestId: 'req',
  createdAt: new Date(0),
  home: undefined,
  status: 'running',
  paused: false,
  earlierNo: undefined,
  interruptions: 0,
  seeded: true,
  sitemap: 'none',
  feeds: 'none',

  known: 0,
  done: 0,
  total: 0,
  queued: 0,
  credits: 0,
  verdicts: {},
  missingValues: {},
  traps: [],
  givenUp: [],

  stop: undefined,
  error: undefined,
  hasCoverage: false,
  startedAt: undefined,
  finishedAt: undefined,
});

const LINKS = 5_000;

describe('the cache of run contexts', () => {
  it('bounds the link decisions of all runs together, and keeps those of the run used last', async () => {
    const contexts = new RunContexts(async (id) => runOf(id));
    const ids = Array.from({ length: 10 }, (_, at) => `run-${at}`);
    for (const id of ids) {
      const context = await contexts.get(id);
      for (let at = 0; at < LINKS; at += 1) context?.link(`https://example.com/${at}`);
    }
    const last = await contexts.get('run-9');
    const all = await Promise.all(ids.map(async (id) => (await contexts.get(id))?.cachedLinks ?? 0));
    expect(last?.cachedLinks).toBe(LINKS);
    expect(all.reduce((sum, links) => sum + links, 0)).toBeLessThanOrEqual(24_000);
  });

  it('reports ignored links of a run at the first time only, so that they are logged once', async () => {
    const context = await new RunContexts(async (id) => runOf(id)).get('run-0');
    expect([context?.isFirstIgnored(), context?.isFirstIgnored()]).toEqual([true, false]);
  });
});
