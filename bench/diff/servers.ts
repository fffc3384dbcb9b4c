import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BlobStore, openBlobs } from '@tidemark/blobs';
import { Bus, createLogger } from '@tidemark/service';
import { fleetEnv } from '@tidemark/testkit';
import pg from 'pg';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { type Peers, startPeers } from './peers.ts';

const DATA_DIR = resolve(import.meta.dirname, '../../.tidemark/bench-diff');

/** The real archive and diff, each in its own process, on PostgreSQL, NATS and a blob folder with default settings. */
export interface DiffServers {
  readonly peers: Peers;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly pool: pg.Pool;
  readonly postgresPid: number;
  readonly archivePid: () => number;
  readonly diffPid: () => number;
  /** A diff process that has built no record yet. */
  restartDiff(): Promise<void>;
  close(): Promise<void>;
}

export async function startDiffServers(): Promise<DiffServers> {
  rmSync(DATA_DIR, { recursive: true, force: true });
  const peers = await startPeers();
  const peerEnv = { CRAWL_ADDR: peers.address, SCRAPE_ADDR: peers.address };
  const stack = await startStack({
    dataDir: DATA_DIR,
    services: ['archive', 'diff'],
    processPerService: true,
    env: { diff: { ...peerEnv, ...fleetEnv, ARCHIVE_ADDR: peers.address }, archive: fleetEnv },
    logLevel: 'warn',
  }).catch(async (error: unknown) => {
    await peers.close();
    throw error;
  });
  const of = (name: 'archive' | 'diff') => serviceIn(stack, name);
  await peers.reach(of('archive').grpcAddr);
  const bus = await Bus.connect(stack.urls.natsUrl, 'bench', createLogger('bench', 'fatal'));
  const pool = new pg.Pool({ connectionString: stack.urls.databaseUrl, max: 2 });
  const blobs = openBlobs(stack.urls.blobUrl);
  return {
    peers,
    bus,
    blobs,
    pool,
    postgresPid: stack.parts.postgres.pid,
    archivePid: () => of('archive').pid,
    diffPid: () => of('diff').pid,
    restartDiff: () => of('diff').restart(),
    async close() {
      await bus.close();
      await pool.end();
      await blobs.close();
      await stack.stop();
      await peers.close();
      rmSync(DATA_DIR, { recursive: true, force: true });
    },
  };
}

function serviceIn({ services }: Stack, name: 'archive' | 'diff') {
  const service = services.get(name);
  if (service === undefined) throw new Error(`${name} does not run`);
  return service;
}
