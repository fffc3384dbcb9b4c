import { work } from '@tidemark/contracts';
import { Sealer } from '@tidemark/sealing';
import type { Bus } from '@tidemark/service';
import type { ScrapeApp } from '../open-capture.ts';
import { BatchDesk, type BatchDeskDeps } from './batch-desk.ts';
import { BatchRunner, type BatchRunnerDeps } from './batch-runner.ts';

type Around = Omit<BatchDeskDeps, 'seal' | 'hasExits' | 'log'> & Omit<BatchRunnerDeps, 'log'> & { readonly bus: Bus };

/** Taking batches on, and working on them. */
export function openBatches(app: ScrapeApp, around: Around) {
  const { bus, exits } = around;
  const sealer = new Sealer(app.config.SEALING_KEYS);
  const runner = app.own(new BatchRunner({ ...around, log: app.log }));
  const desk = new BatchDesk({
    ...around,
    hasExits: !exits.isEmpty,
    seal: (secret, jobId) => sealer.seal(secret, jobId),
    log: app.log,
  });
  bus.work(work.batchHost, app.config.BATCH_HOSTS, ({ jobId, host }) => runner.run(jobId, host));
  return { batchDesk: desk, batchRunner: runner };
}
