import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import { createLogger } from '@tidemark/service';
import { captureOptions } from '@tidemark/testkit';
import type { Run } from '../domain/run/run.ts';
import type { Trap } from '../domain/scope/trap-detector.ts';
import type { OpenPage, ResultBatch } from '../store/results/page-results.ts';
import { makeRecordPageResults } from './record-page-results.ts';
import { RunContexts } from './run-context.ts';
import { SeenCache } from './seen-cache.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const SEED = 'https://example.com/';
const PAGE: OpenPage = {
  captureId: 'cap_1',
  key: Buffer.alloc(16, 1),
  url: SEED,
  host: 'example.com',
  depth: 0,
  foundVia: 'seed',
  home: undefined,
};
const RUN: Run = {
  id: 'run_1',
  no: 1n,
  actorId: '',
  workspaceId: 'ws',
  projectId: undefined,
  destinationId: undefined,
  seed: SEED,
  scope: Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first', maxDepth: 5, maxPages: 100 }),
  options: captureOptions(),
  trigger: 'crawl',
  requestId: 'req',
  createdAt: NOW,
  home: undefined,
  status: 'running',
  paused: false,
  earlierNo: undefined,
  interruptions: 0,
  seeded: true,
  sitemap: 'none',
  feeds: 'none',
  known: 1,
  done: 0,
  total: 1,
  queued: 0,
  credits: 0,
  verdicts: {},
  missingValues: {},
  traps: [],
  givenUp: [],
  stop: undefined,
  error: undefined,
  hasCoverage: false,
  startedAt: NOW,
  finishedAt: undefined,
};

/** The recorder of a run whose first `failures` writes are rolled back, and the batches that were to be written. */
function recorder({ failures, stored = [] }: { readonly failures: number; readonly stored?: readonly Trap[] }) {
  const batches: ResultBatch[] = [];
  const record = makeRecordPageResults({
    results: {
      open: async () => [PAGE],
      lock: async () => ({
        state: { open: new Set([PAGE.captureId]), landed: new Map(), room: 1_000, traps: stored },
        write: async (batch) => {
          batches.push(batch);
          if (batches.length <= failures) throw new Error('the connection was lost');
          return { fresh: batch.found.map(({ key }) => key), events: [] };
        },
        [Symbol.asyncDispose]: async () => undefined,
      }),
      leaveOutLate: async () => [],
      writeCharges: async () => undefined,
    },
    contexts: new RunContexts(async () => RUN),
    seen: new SeenCache(),
    earlierLinks: async () => [],
    sendEvents: () => undefined,
    wake: () => undefined,
    now: () => NOW,
    log: createLogger('crawl', 'silent'),
  });
  return { batches, record };
}

const ended = (fields: Partial<RunPageEnded>): RunPageEnded =>
  RunPageEnded.fromPartial({
    runId: RUN.id,
    captureId: PAGE.captureId,
    url: SEED,
    verdict: 'ok',
    errorCode: 'OK',
    httpStatus: 200,
    ...fields,
  });

describe('makeRecordPageResults', () => {
  it('decides the same again after a rollback, for the host the seed redirects to and for traps', async () => {
    const { batches, record } = recorder({ failures: 1 });
    const results = [
      ended({
        url: 'https://example.org/',
        redirects: [SEED],
        links: ['https://example.org/a', 'https://example.org/events/2051/04'],
      }),
    ];
    await expect(record(RUN.id, results)).rejects.toThrow('the connection was lost');
    await record(RUN.id, results);
    const [rolledBack, written] = batches;
    expect(written).toEqual(rolledBack);
    expect(written).toMatchObject({ home: 'example.org', traps: [{ pattern: '/events/#/#', urls: 1 }] });
    expect(written?.found.map(({ url }) => url)).toEqual(['https://example.org/a']);
  });

  it('adds to the traps that the run has, and reports those as new that it does not have', async () => {
    const stored = [{ pattern: '/events/#/#', urls: 7, why: 'a calendar' }];
    const { batches, record } = recorder({ failures: 0, stored });
    await record(RUN.id, [ended({ links: ['https://example.com/events/2051/04', 'https://example.com/cal/2052/01'] })]);
    const calendar = { pattern: '/cal/#/#', urls: 1 };
    expect(batches[0]).toMatchObject({
      traps: [{ pattern: '/events/#/#', urls: 8, why: 'a calendar' }, calendar],
      newTraps: [calendar],
    });
  });
});
