import { work } from '@tidemark/contracts';
import { Sealer } from '@tidemark/sealing';
import type { Bus, Peer } from '@tidemark/service';
import { makeFreeCredits } from '../lease-credits.ts';
import type { ScrapeApp } from '../open-capture.ts';
import type { BatchViews } from '../store/batch-views.ts';
import { BatchDesk, type BatchDeskDeps } from './batch-desk.ts';
import { BatchRunner, type BatchRunnerDeps } from './batch-runner.ts';

interface Around
  extends Omit<BatchDeskDeps, 'seal' | 'freeCredits' | 'bus' | 'log' | 'now'>,
    Omit<BatchRunnerDeps, 'log'> {
  readonly bus: Bus;
  readonly billing: Peer;
  readonly batchViews: BatchViews;
}

/** Taking batches on, and working on them. */
export function openBatches(app: ScrapeApp, around: Around) {
  const { bus } = around;
  const sealer = new Sealer(app.config.SEALING_KEYS);
  const runner = app.own(new BatchRunner({ ...around, log: app.log }));
  const desk = new BatchDesk({
    ...around,
    freeCredits: makeFreeCredits(around.billing),
    seal: (secret, jobId) => sealer.seal(secret, jobId),
    log: app.log,
  });
  bus.work(work.batchHost, app.config.BATCH_HOSTS, ({ jobId, host }) => runner.run(jobId, host));
  return { batchDesk: desk, batchRunner: runner };
}
