import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { work } from '@tidemark/contracts';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { anonymous, startNats, startService, type TestNats, until } from '@tidemark/testkit';
import { Bus } from './bus.ts';
import { defineService } from './define-service.ts';
import { handle } from './grpc-server.ts';
import { createLogger } from './logger.ts';
import { memoryGuard } from './memory-guard.ts';

const log = createLogger('test', 'silent');
let nats: TestNats;
/** How often the state of the guard was read. */
let readings = 0;
beforeAll(async () => {
  nats = await startNats();
});
// The guard belongs to the process, which other test files share: each test lays a state over it and removes it again.
beforeEach(() => {
  readings = 0;
  const get = (): boolean => {
    readings += 1;
    return true;
  };
  Object.defineProperty(memoryGuard, 'isFull', { get, configurable: true });
});
afterEach(() => {
  Reflect.deleteProperty(memoryGuard, 'isFull');
});
afterAll(() => nats.close());

describe('a process near its memory limit', () => {
  it('refuses RPCs that start work as unavailable with a delay, and serves those that accepted work needs', async () => {
    const definition = defineService({
      name: 'scrape',
      config: {},
      async start(app) {
        app.serve({}, [
          handle(Rpc.startBatch, async () => ({ job: undefined, webhookSecret: '', replayed: false })),
          handle(Rpc.getJob, async () => ({ job: undefined })),
        ]);
      },
    });
    const service = await startService(definition, {});
    try {
      const batch = Rpc.startBatch.requestDeserialize(Buffer.alloc(0));
      await expect(service.peer.call(Rpc.startBatch, batch, anonymous())).rejects.toMatchObject({
        code: 'unavailable',
        httpStatus: 503,
        retryAfterSeconds: 2,
      });
      expect(await service.peer.call(Rpc.getJob, { id: 'job_1' }, anonymous())).toEqual({ job: undefined });
      expect(memoryGuard.refused).toBeGreaterThan(0);
    } finally {
      await service.close();
    }
  });

  it('takes no items from work queues, which stay for other processes', async () => {
    const bus = await Bus.connect(nats.url, 'test', log);
    const done: string[] = [];
    try {
      bus.work(work.batchHost, 2, async ({ host }) => void done.push(host));
      await bus.offer(work.batchHost, 'waits', { jobId: 'j', host: 'waits' });
      await until('the item to be stored', async () => (await bus.pendingWork(work.batchHost)) === 1);
      const before = readings;
      await until('the worker to check the memory again', () => readings >= before + 3);
      expect([done, await bus.pendingWork(work.batchHost)]).toEqual([[], 1]);
    } finally {
      await bus.close();
    }
  });
});
