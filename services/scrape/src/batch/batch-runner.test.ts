import { expect, it } from '@jest/globals';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import { createLogger } from '@tidemark/service';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import { BatchRunner } from './batch-runner.ts';

const BATCH = {
  id: 'job_1',
  workspaceId: 'ws_1',
  actorId: '',
  requestId: 'req_1',
  options: toCaptureOptions(captureOptions()),

  concurrency: 2,
  delayMs: 0,
  sealedUrl: undefined,
  sealedSecret: undefined,
  webhookEvents: [],

  webhookMetadataJson: undefined,
  destinationId: undefined,
  createdAt: new Date(),
};

it('returns the pages of a held host to the queue at once when its process ends, so that another instance continues', async () => {
  const waited = Promise.withResolvers<void>();
  const unused = () => Promise.reject(new Error('no page is captured'));
  const runner = new BatchRunner({
    batches: {
      claim: async () => [],
      waiting: async () => {
        waited.resolve();
        return { left: 1, nextInMs: 60_000 };
      },
      renew: async () => new Set<string>(),
      retry: async () => undefined,
      hold: async () => undefined,
      postpone: async () => undefined,
      policy: ATTEMPT_POLICIES['scrape.batch_pages'],
    },
    findBatch: async () => BATCH,
    visitor: { visit: unused },
    extractPage: unused,
    finish: unused,
    leaseCredits: unused,
    exits: { isEmpty: true },
    ladder: [],
    log: createLogger('test', 'silent'),
    now: () => new Date(),
  });
  const running = runner.run(BATCH.id, 'site.test');
  const ended = expect(running).rejects.toMatchObject({ code: 'unavailable', message: 'the process is ending' });
  await waited.promise;
  await runner.close();
  await ended;
});
