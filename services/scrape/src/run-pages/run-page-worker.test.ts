import { afterEach, describe, expect, it } from '@jest/globals';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import { PageWork } from '@tidemark/contracts/scrape/v1/work';
import { LocalHostLimiter } from '@tidemark/host-pace';
import { createLogger } from '@tidemark/service';
import { captureOptions, until } from '@tidemark/testkit';
import { unfetchedRow } from '../domain/page-row.ts';
import { PageVisitor } from '../visit/page-visitor.ts';
import type { RepeatedPages } from './find-ended.ts';
import { RunPageWorker } from './run-page-worker.ts';

const HOST = 'site.test';
/** Longer than a work message waits for its host before it releases its slot. */
const HOLD_MS = 2_500;
const NOW = new Date('2030-01-01T00:00:00Z');
const workers: RunPageWorker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.close();
});

/** A worker between hosts that answer every request and a run that needs all its pages. */
function workerOn(
  pace: LocalHostLimiter,
  ended: readonly string[] = [],
  opened: () => Promise<void> = async () => undefined,
) {
  const reported: PagesInProgress[] = [];
  const repeated: RepeatedPages[] = [];
  const fetched: string[] = [];
  const events: string[] = [];
  const worker = new RunPageWorker({
    store: { end: async (messages) => void events.push(...messages.map(({ id }) => id)) },
    outbox: { send: () => undefined },
    keepBodies: async () => ({}),
    extractPage: async (_, captured) => captured,
    findEnded: async (pages) => {
      repeated.push(pages);
      return new Set(pages.captureIds.filter((id) => ended.includes(id)));
    },
    report: (pages) => void reported.push(pages),
    visitor: new PageVisitor({
      capture: async (task) => {
        fetched.push(task.captureId);
        await opened();
        const row = unfetchedRow(task, NOW, { verdict: 'blocked', errorCode: 'NOT_FOUND', reason: '', signals: [] });
        return { row: { ...row, httpStatus: 404 }, bodies: undefined };
      },
      robots: { policyOf: async () => Promise.reject(new Error('host unreachable')) },
      pace,
      now: () => new Date(),
    }),
    log: createLogger('test', 'silent'),
    now: () => new Date(),
  });
  workers.push(worker);
  return { worker, reported, repeated, fetched, events };
}

const work = (...ids: string[]): PageWork =>
  PageWork.fromPartial({
    runId: 'run_1',
    workspaceId: 'ws_1',
    host: HOST,
    concurrency: 2,
    options: captureOptions(),
    pages: ids.map((captureId) => ({ captureId, url: `https://${HOST}/${captureId}`, credits: 1 })),
  });

describe('work whose host is held', () => {
  it('waits while other work proceeds, is reported to its run, and is fetched when the hold ends', async () => {
    const pace = new LocalHostLimiter();
    const { worker, reported, events } = workerOn(pace);
    const heldAtMs = performance.now();
    await pace.hold(HOST, HOLD_MS, 'Retry-After');
    await worker.run(work('cap_a', 'cap_b'), false);
    expect(performance.now() - heldAtMs).toBeLessThan(HOLD_MS);
    expect(events).toEqual([]);
    const held = [{ host: HOST, until: expect.any(Date), why: 'Retry-After' }];
    expect(reported[0]).toMatchObject({ runId: 'run_1', workspaceId: 'ws_1', held });
    worker.reportRun({ runId: 'run_1' });
    expect(reported.at(-1)).toMatchObject({ captureIds: ['cap_a', 'cap_b'], held });
    await until('its page events to be written', () => events.length === 4);
    expect(performance.now() - heldAtMs).toBeGreaterThanOrEqual(HOLD_MS - 50);
  });

  it('is reported once for each hold, however many of its pages wait', async () => {
    const pace = new LocalHostLimiter();
    const { worker, reported } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'Retry-After');
    await worker.run(work('cap_e', 'cap_f', 'cap_g'), false);
    await worker.run(work('cap_h'), false);
    expect(reported).toHaveLength(1);
    worker.callOff({ runId: 'run_1', captureIds: [] });
  });

  it('is released if its run cancels it, and pages of other runs are not', async () => {
    const pace = new LocalHostLimiter();
    const { worker, reported, events } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'Retry-After');
    await worker.run(work('cap_c'), false);
    await worker.run({ ...work('cap_other'), runId: 'run_2' }, false);
    worker.callOff({ runId: 'run_1', captureIds: [] });
    const pagesOf = (runId: string) => {
      reported.length = 0;
      worker.reportRun({ runId });
      return reported.flatMap(({ captureIds }) => captureIds);
    };
    await until('the page to be let go', () => pagesOf('run_1').length === 0);
    expect(pagesOf('run_2')).toEqual(['cap_other']);
    worker.callOff({ runId: 'run_2', captureIds: [] });
    await worker.close();
    expect(events).toEqual([]);
  });

  it('is let go page by page where single pages are called off', async () => {
    const pace = new LocalHostLimiter();
    const { worker, reported } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'Retry-After');
    await worker.run(work('cap_i', 'cap_j'), false);
    worker.callOff({ runId: 'run_1', captureIds: ['cap_i', 'cap_unknown'] });
    await until('one of them to be left', () => {
      worker.reportRun({ runId: 'run_1' });
      return reported.at(-1)?.captureIds.join() === 'cap_j';
    });
    worker.callOff({ runId: 'run_1', captureIds: [] });
  });

  it('for a moment only is kept until it is done', async () => {
    const pace = new LocalHostLimiter();
    const { worker, events } = workerOn(pace);
    await pace.hold(HOST, 300, 'Retry-After');
    await worker.run(work('cap_d'), false);
    expect(events).toEqual(['page:cap_d', 'run-page:cap_d']);
  });
});

describe('a pause of the run', () => {
  const pausedWork = (pauses: number, ...ids: string[]): PageWork => ({ ...work(...ids), pauses });

  it('returns the pages whose fetch has not begun, and frees their slot; pages being fetched end', async () => {
    const response = Promise.withResolvers<void>();
    const { worker, reported, fetched, events } = workerOn(new LocalHostLimiter(), [], () => response.promise);
    const done = worker.run(work('cap_1', 'cap_2', 'cap_3', 'cap_4'), false);
    await until('two pages to be fetched', () => fetched.length === 2);
    worker.pause({ runId: 'run_1', pauses: 1 });
    expect(reported.at(-1)).toMatchObject({ captureIds: ['cap_1', 'cap_2'], returned: ['cap_3', 'cap_4'], pauses: 1 });
    response.resolve();
    await done;
    expect(fetched).toEqual(['cap_1', 'cap_2']);
    expect(events.toSorted()).toEqual(['page:cap_1', 'page:cap_2', 'run-page:cap_1', 'run-page:cap_2']);
  });

  it('returns the pages that wait for a held host, and repeats the report, which may be lost', async () => {
    const pace = new LocalHostLimiter();
    const { worker, reported } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'Retry-After');
    await worker.run(work('cap_h'), false);
    worker.pause({ runId: 'run_1', pauses: 1 });
    worker.pause({ runId: 'run_1', pauses: 1 });
    expect(reported.slice(-2)).toMatchObject([{ returned: ['cap_h'] }, { returned: ['cap_h'] }]);
  });

  it('returns a page that would be fetched again after its fetch in progress', async () => {
    const response = Promise.withResolvers<void>();
    const fails = async () => {
      await response.promise;
      throw new Error('no page');
    };
    const { worker, reported, fetched, events } = workerOn(new LocalHostLimiter(), [], fails);
    const done = worker.run(work('cap_r'), false);
    await until('the page to be fetched', () => fetched.length === 1);
    worker.pause({ runId: 'run_1', pauses: 1 });
    response.resolve();
    await done;
    expect(reported.at(-1)).toMatchObject({ captureIds: [], returned: ['cap_r'], pauses: 1 });
    expect({ fetched, events }).toEqual({ fetched: ['cap_r'], events: [] });
  });

  it('withdraws work that was offered before it and arrives later, and no work that is offered after it', async () => {
    const { worker, reported, fetched } = workerOn(new LocalHostLimiter());
    worker.pause({ runId: 'run_1', pauses: 2 });
    await worker.run(pausedWork(1, 'cap_old'), false);
    expect(reported.at(-1)).toMatchObject({ returned: ['cap_old'], pauses: 2 });
    await worker.run(pausedWork(2, 'cap_new'), false);
    await worker.run({ ...pausedWork(0, 'cap_other'), runId: 'run_2' }, false);
    expect(fetched).toEqual(['cap_new', 'cap_other']);
  });
});

describe('work that may have been offered before', () => {
  const repeatedWork = (...ids: string[]): PageWork => {
    const piece = work(...ids);
    return { ...piece, pages: piece.pages.map((page) => ({ ...page, isRepeated: true })) };
  };

  it('is fetched where it has not ended, and not where it has', async () => {
    const { worker, fetched, repeated } = workerOn(new LocalHostLimiter(), ['cap_ended']);
    await worker.run(repeatedWork('cap_ended', 'cap_open'), false);
    expect(fetched).toEqual(['cap_open']);
    expect(repeated).toEqual([{ runId: 'run_1', workspaceId: 'ws_1', captureIds: ['cap_ended', 'cap_open'] }]);
  });

  it('is every piece that is delivered again', async () => {
    const { worker, fetched } = workerOn(new LocalHostLimiter(), ['cap_ended']);
    await worker.run(work('cap_ended', 'cap_open'), true);
    expect(fetched).toEqual(['cap_open']);
  });

  it('is none that is offered for the first time: nothing is looked up for it', async () => {
    const { worker, fetched, repeated } = workerOn(new LocalHostLimiter(), ['cap_k']);
    await worker.run(work('cap_k'), false);
    expect({ fetched, repeated }).toEqual({ fetched: ['cap_k'], repeated: [] });
  });

  it('is neither looked up nor fetched twice while it is held here', async () => {
    const pace = new LocalHostLimiter();
    const { worker, repeated, fetched } = workerOn(pace);
    await pace.hold(HOST, HOLD_MS, 'Retry-After');
    await worker.run(work('cap_l'), false);
    await worker.run(repeatedWork('cap_l'), true);
    await until('the page to be fetched', () => fetched.length > 0);
    expect({ repeated, fetched }).toEqual({ repeated: [], fetched: ['cap_l'] });
  });
});

describe('a piece of work that can’t be read', () => {
  it('is refused, and keeps none of its pages from being done when it is offered again', async () => {
    const { worker, events } = workerOn(new LocalHostLimiter());
    const piece = work('cap_f');
    await expect(worker.run({ ...piece, options: undefined }, false)).rejects.toMatchObject({ code: 'validation' });
    await worker.run(piece, false);
    expect(events).toEqual(['page:cap_f', 'run-page:cap_f']);
  });
});
