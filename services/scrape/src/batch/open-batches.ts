import type { BlobStore } from '@tidemark/blobs';
import { work } from '@tidemark/contracts';
import { makeRequireCredits } from '@tidemark/jobs';
import { Sealer, sealRequest } from '@tidemark/sealing';
import type { Bus, Outbox, Peer } from '@tidemark/service';
import type { ScrapeApp } from '../config.ts';
import type { CaptureOptions } from '../domain/capture-options.ts';
import { makeFinishBatchPage } from '../jobs/finish-job.ts';
import type { BatchViews } from '../store/batch-views.ts';
import { openBatchOffers } from './batch-offers.ts';
import { BatchRunner, type BatchRunnerDeps } from './batch-runner.ts';
import { BatchService, type BatchServiceDeps } from './batch-service.ts';

const ABANDONED_AT_ONCE = 500;

interface BatchesDeps
  extends Pick<BatchServiceDeps, 'jobs' | 'batches' | 'ladder' | 'exits' | 'admit' | 'now'>,
    Pick<BatchRunnerDeps, 'visitor' | 'extractPage' | 'leaseCredits'> {
  readonly batchViews: BatchViews;
  readonly bus: Bus;
  readonly billing: Peer;
  readonly blobs: BlobStore;
  readonly outbox: Outbox;
}

/** Opens the batch service, the batch runner and the re-offers of abandoned pages. */
export function openBatches(
  app: ScrapeApp,
  deps: BatchesDeps,
): { batchService: BatchService; batchRunner: BatchRunner } {
  const { jobs, batches, batchViews, bus, billing, blobs, outbox } = deps;
  const { visitor, extractPage, admit, leaseCredits, ladder, exits, now } = deps;
  const { log } = app;
  const sealer = new Sealer(app.config.SEALING_KEYS);
  const findBatch = (id: string) => batchViews.find(id);
  const finish = makeFinishBatchPage({ batches, blobs, outbox, now });
  const batchRunner = app.own(
    new BatchRunner({
      batches,
      findBatch,
      visitor,
      extractPage,
      finish,
      leaseCredits,
      exits,
      ladder,
      log,
      now,
    }),
  );
  const requireCredits = makeRequireCredits(billing);
  const seal = (secret: string, context: string) => sealer.seal(secret, context);
  const openSecret = (sealed: Uint8Array, context: string) => sealer.open(sealed, context);
  const sealOptions = (options: CaptureOptions, workspaceId: string) => sealRequest(options, sealer, workspaceId);
  const batchService = new BatchService({
    jobs,
    batches,
    bus,
    ladder,
    exits,
    requireCredits,
    admit,
    seal,
    openSecret,
    sealOptions,
    findSecret: (id) => batchViews.sealedSecret(id),
    log,
    now,
  });
  const abandoned = () => batchViews.abandoned(ABANDONED_AT_ONCE);
  app.own(openBatchOffers({ abandoned, offer: batchService.offer.bind(batchService), log }));
  bus.work(work.batchHost, app.config.BATCH_HOSTS, ({ jobId, host }) => batchRunner.run(jobId, host));
  return { batchService, batchRunner };
}
