import { work } from '@tidemark/contracts';
import { makeRequireCredits } from '@tidemark/jobs';
import { Sealer } from '@tidemark/sealing';
import type { Bus, Peer } from '@tidemark/service';
import type { ScrapeApp } from '../open-capture.ts';
import type { BatchViews } from '../store/batch-views.ts';
import { BatchRunner, type BatchRunnerDeps } from './batch-runner.ts';
import { BatchService, type BatchServiceDeps } from './batch-service.ts';

interface Around
  extends Omit<BatchServiceDeps, 'seal' | 'requireCredits' | 'bus' | 'log' | 'now'>,
    Omit<BatchRunnerDeps, 'log'> {
  readonly bus: Bus;
  readonly billing: Peer;
  readonly batchViews: BatchViews;
}

/** Opens the batch service and the batch runner. */
export function openBatches(app: ScrapeApp, around: Around) {
  const { bus } = around;
  const sealer = new Sealer(app.config.SEALING_KEYS);
  const runner = app.own(new BatchRunner({ ...around, log: app.log }));
  const service = new BatchService({
    ...around,
    requireCredits: makeRequireCredits(around.billing),
    seal: (secret, jobId) => sealer.seal(secret, jobId),
    log: app.log,
  });
  bus.work(work.batchHost, app.config.BATCH_HOSTS, ({ jobId, host }) => runner.run(jobId, host));
  return { batchService: service, batchRunner: runner };
}
