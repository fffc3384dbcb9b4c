import { fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BlobStore, openBlobs } from '@tidemark/blobs';
import { openPool, type Peer } from '@tidemark/service';
import type pg from 'pg';
import { fleetKeys } from '../../deploy/local/local-keys.ts';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';

const DATA_DIR = resolve(import.meta.dirname, '../../.tidemark/bench-archive');
const MAIN = resolve(import.meta.dirname, '../../services/archive/src/main.ts');
const NODE_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=384'];

/** PostgreSQL with the default settings, the archive in its own process, and a scrape that reads on one thread. */
export interface ArchiveServers {
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  readonly archive: Peer;
  readonly scrape: Peer;
  readonly archivePid: number;
  readonly scrapePid: number;
  readonly postgresPid: number;
  close(): Promise<void>;
}

async function startArchive(stack: Stack, address: string): Promise<{ peer: Peer; pid: number; stop: () => void }> {
  const { databaseUrl, natsUrl, blobUrl } = stack.urls;
  const child = fork(MAIN, [], {
    execArgv: ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', ...NODE_FLAGS],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      BLOB_URL: blobUrl,
      FLEET_KEYS: fleetKeys(stack.dataDir),

      GRPC_LISTEN: address,
      HTTP_LISTEN: `${LOOPBACK}:0`,
      LOG_LEVEL: 'warn',
      MALLOC_ARENA_MAX: '2',
    },
  });
  const peer = operatorPeer(stack.dataDir, 'archive', address);
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await peer.ready().catch(() => 'not yet')) !== 'not yet') break;
    await new Promise((done) => setTimeout(done, 250));
  }
  return { peer, pid: child.pid ?? 0, stop: () => void child.kill() };
}

export async function startArchiveServers(): Promise<ArchiveServers> {
  rmSync(DATA_DIR, { recursive: true, force: true });
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
  const port = (await choosePorts(join(DATA_DIR, 'archive-port.json'), ['archive']))('archive');
  const address = `${LOOPBACK}:${port}`;
  const env = { scrape: { READ_THREADS: '1', ARCHIVE_ADDR: address } };
  const stack = await startStack({ dataDir: DATA_DIR, services: ['scrape'], env, logLevel: 'error' });
  const archive = await startArchive(stack, address);
  const scrape = operatorPeer(stack.dataDir, 'scrape', stack.services.get('scrape')?.grpcAddr ?? '');
  const pool = openPool(stack.urls.databaseUrl, 'archive', 4);
  const blobs = openBlobs(stack.urls.blobUrl);
  return {
    pool,
    blobs,
    archive: archive.peer,
    scrape,
    archivePid: archive.pid,
    scrapePid: stack.services.get('scrape')?.pid ?? 0,
    postgresPid: stack.parts.postgres.pid,
    async close() {
      await pool.end();
      await blobs.close();
      await archive.peer.close();
      await scrape.close();
      archive.stop();
      await stack.stop();
      rmSync(DATA_DIR, { recursive: true, force: true });
    },
  };
}
