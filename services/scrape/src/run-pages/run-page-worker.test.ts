import { afterEach, describe, expect, it } from '@jest/globals';
import { PageWork } from '@tidemark/contracts/scrape/v1/work';
import { createLogger } from '@tidemark/service';
import { captureOptions, takes, until } from '@tidemark/testkit';
import { unfetchedRow } from '../domain/page-row.ts';
import { LocalHostLimiter } from '../pace/local-host-limiter.ts';
import { RunPageWorker } from './run-page-worker.ts';
import type { StillOpenQuestion } from './still-open.ts';

const HOST = 'site.test';
const HOLD_MS = 4_000;
const NOW = new Date('2030-01-01T00:00:00Z');
const workers: RunPageWorker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.close();
});

/** A worker between hosts that answer everything and a run that wants all its pages. */
function workerOn(pace: LocalHostLimiter) {
  const asked: StillOpenQuestion[] = [];
  const told: string[] = [];
  let isWanted = true;
  let slowMs = 0;
  let askedAtOnce = 0;
  let mostAtOnce = 0;
  const worker = new RunPageWorker({
    store: { end: async (messages) => void told.push(...messages.map(({ id }) => id)) },
    outbox: { send: () => undefined },
    keepBodies: async () => ({}),
    stillOpen: async (question) => {
      asked.push(question);
      askedAtOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, askedAtOnce);
      if (slowMs > 0) await takes(slowMs);
      askedAtOnce -= 1;
      return isWanted ? question.captureIds : [];
    },
    capture: async (task) => {
      const row = unfetchedRow(task, NOW, { verdict: 'blocked', errorCode: 'NOT_FOUND', reason: '', signals: [] });
      return { row: { ...row, httpStatus: 404 }, bodies: undefined };
    },
    robots: { rulesOf: async () => Promise.reject(new Error('nobody there')) },
    pace,
    log: createLogger('test', 'silent'),
    now: () => new Date(),
  });
  workers.push(worker);
  const slowDown = () => (slowMs = 1_500);
  return { worker, asked, told, callOff: () => (isWanted = false), slowDown, mostAtOnce: () => mostAtOnce };
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
  it('is set aside for other work, told to its run, and done when the host may be asked', async () => {
    const pace = new LocalHostLimiter();
    const { worker, asked, told } = workerOn(pace);
    const heldAtMs = performance.now();
    await pace.hold(HOST, HOLD_MS, 'it asked for it');
    await worker.run(work('cap_a', 'cap_b'), false);
    expect(performance.now() - heldAtMs).toBeLessThan(HOLD_MS);
    expect(told).toEqual([]);
    expect(asked[0]?.held).toEqual([{ host: HOST, until: expect.any(Date), why: 'it asked for it' }]);
    await until('its pages to be told', () => told.length === 4, { withinMs: 10_000 });
    expect(performance.now() - heldAtMs).toBeGreaterThanOrEqual(HOLD_MS - 50);
    expect(asked.some(({ captureIds }) => captureIds.length === 2)).toBe(true);
  });

  it('is let go where its run no longer wants it', async () => {
    const pace = new LocalHostLimiter();
    const { worker, asked, told, callOff } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'it asked for it');
    await worker.run(work('cap_c'), false);
    callOff();
    const before = asked.length;
    await until('the run to be asked', () => asked.length > before);
    await worker.close();
    expect(told).toEqual([]);
  });

  it('for a moment only is kept until it is done', async () => {
    const pace = new LocalHostLimiter();
    const { worker, told } = workerOn(pace);
    await pace.hold(HOST, 300, 'it asked for it');
    await worker.run(work('cap_d'), false);
    expect(told).toEqual(['page:cap_d', 'run-page:cap_d']);
  });
});

describe('a run that is slow to answer', () => {
  it('is asked again only once it has', async () => {
    const pace = new LocalHostLimiter();
    const { worker, asked, slowDown, mostAtOnce } = workerOn(pace);
    await pace.hold(HOST, 60_000, 'it asked for it');
    await worker.run(work('cap_e'), false);
    slowDown();
    const before = asked.length;
    await until('it to be asked three times', () => asked.length >= before + 3, { withinMs: 15_000 });
    expect(mostAtOnce()).toBe(1);
  }, 30_000);
});

describe('a piece of work that can’t be read', () => {
  it('is refused, and keeps none of its pages from being done when it is offered again', async () => {
    const { worker, told } = workerOn(new LocalHostLimiter());
    const piece = work('cap_f');
    await expect(worker.run({ ...piece, options: undefined }, false)).rejects.toMatchObject({ code: 'validation' });
    await worker.run(piece, false);
    expect(told).toEqual(['page:cap_f', 'run-page:cap_f']);
  });
});
