import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BlobStore, openBlobs } from '@tidemark/blobs';
import { openPool, type Peer } from '@tidemark/service';
import { dialAsOperator, fleetEnv } from '@tidemark/testkit';
import type pg from 'pg';
import { startStack } from '../../deploy/local/stack.ts';
import { type Peers, startPeers } from '../diff/peers.ts';

const DATA_DIR = resolve(import.meta.dirname, '../../.tidemark/bench-export');

/** The real archive and export, each in its own process, on PostgreSQL and a blob folder, and a fake crawl. */
export interface ExportServers {
  readonly peers: Peers;
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  /** `file:` URL of the folder of the blob store. */
  readonly blobUrl: string;
  readonly export: Peer;
  /** Processes that take part in a download. */
  readonly pids: { readonly archive: number; readonly export: number; readonly postgres: number };
  close(): Promise<void>;
}

export async function startExportServers(): Promise<ExportServers> {
  rmSync(DATA_DIR, { recursive: true, force: true });
  const peers = await startPeers();
  const stack = await startStack({
    dataDir: DATA_DIR,
    services: ['archive', 'export'],
    processPerService: true,
    env: { archive: fleetEnv, export: { ...fleetEnv, CRAWL_ADDR: peers.address } },
    logLevel: 'warn',
  }).catch(async (error: unknown) => {
    await peers.close();
    throw error;
  });
  const archive = stack.services.get('archive');
  const exporter = stack.services.get('export');
  if (archive === undefined || exporter === undefined) throw new Error('archive and export do not run');
  const pool = openPool(stack.urls.databaseUrl, 'archive', 4);
  const blobs = openBlobs(stack.urls.blobUrl);
  const peer = dialAsOperator('export', exporter.grpcAddr);
  return {
    peers,
    pool,
    blobs,
    blobUrl: stack.urls.blobUrl,
    export: peer,
    pids: { archive: archive.pid, export: exporter.pid, postgres: stack.parts.postgres.pid },
    async close() {
      await peer.close();
      await pool.end();
      await blobs.close();
      await stack.stop();
      await peers.close();
      rmSync(DATA_DIR, { recursive: true, force: true });
    },
  };
}
