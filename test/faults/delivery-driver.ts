import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { events, newId } from '@tidemark/contracts';
import { Job } from '@tidemark/contracts/scrape/v1/scrape';
import { Sealer } from '@tidemark/sealing';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { newWorkspace, SITE_ADDRESS, spawnService, startTestServers, type TestServers } from '@tidemark/testkit';

const MAIN = resolve(import.meta.dirname, '../..', 'services/delivery/src/main.ts');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
/** Receivers, each with a separate origin and receiver queue. */
const RECEIVERS = 20;

/** A received message. */
export interface Arrival {
  readonly id: string;
  readonly body: string;
}

/** Runs delivery in separate processes on a real database and bus, with fake batches. */
export interface DeliveryDriver {
  readonly servers: TestServers;
  readonly arrived: readonly Arrival[];
  /** Publishes the end of so many batches, which cause two messages each. */
  endBatches(count: number): Promise<void>;
  spawn(): ReturnType<typeof spawnService>;
  close(): Promise<void>;
}

export async function driveDelivery(): Promise<DeliveryDriver> {
  const servers = await startTestServers();
  const arrived: Arrival[] = [];
  const urls: string[] = [];
  for (let n = 0; n < RECEIVERS; n += 1) urls.push(await listen(servers, arrived));
  const sealingKeys = randomBytes(32).toString('base64');
  const sealer = new Sealer(sealingKeys);
  // None of them is called for a batch.
  const names = ['CRAWL', 'MAP', 'PROJECTS', 'DIFF', 'EXPORT'];
  const env = {
    ...servers.env,
    ...Object.fromEntries(names.map((name) => [`${name}_ADDR`, '127.0.0.1:9'])),
    SEALING_KEYS: sealingKeys,
    TIDEMARK_EGRESS_ALLOW: `${SITE_ADDRESS}/32`,
  };
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
  const workspaceId = newWorkspace();
  return {
    servers,
    arrived,
    async endBatches(count) {
      const jobs = Array.from({ length: count }, () => newId('job'));
      const ended = (jobId: string, place: number) =>
        outgoingEvent(events.batchEnded, `ended:${jobId}`, {
          workspaceId,
          at: new Date(),
          events: ['scrape.completed'],
          sealedUrl: sealer.seal(urls[place % RECEIVERS] ?? '', `${jobId}:url`),
          job: Job.fromPartial({ id: jobId, kind: 'batch', status: 'done', createdAt: new Date() }),
          sealedSecret: sealer.seal(SECRET, jobId),
        });
      await bus.publish(events.batchEnded.subject, jobs.map(ended));
    },
    spawn: () => spawnService('delivery', MAIN, env),
    close: () => servers.close(),
  };
}

/** Starts a receiver that accepts every message, at a separate origin. */
async function listen(servers: TestServers, arrived: Arrival[]): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      arrived.push({ id: String(request.headers['x-service-delivery']), body: Buffer.concat(chunks).toString() });
      response.end();
    });
  });
  await new Promise<void>((started) => server.listen(0, SITE_ADDRESS, started));
  servers.own({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  return `http://${SITE_ADDRESS}:${bound.port}/hook`;
}
