import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stopTelemetry } from '@tidemark/service';
import { createDatabase, type TestDatabase } from './database.ts';
import { fleetEnv } from './fleet-access.ts';
import { startNats, type TestNats } from './nats.ts';

/** A database, a NATS server and a blob store for one suite, all real. */
export interface TestServers {
  readonly database: TestDatabase;
  readonly nats: TestNats;
  readonly blobDir: string;
  /** The environment that configures a service with these. */
  readonly env: Readonly<Record<string, string>>;
  /** Registers a resource that `close()` closes first, in reverse order of registration. */
  own<T extends { close(): Promise<unknown> | unknown }>(resource: T): T;
  close(): Promise<void>;
}

export async function startTestServers(): Promise<TestServers> {
  const [database, nats] = await Promise.all([createDatabase(), startNats()]);
  const blobDir = mkdtempSync(join(tmpdir(), 'tidemark-blobs-'));
  const owned: { close(): Promise<unknown> | unknown }[] = [];
  return {
    database,
    nats,
    blobDir,
    env: { ...fleetEnv, DATABASE_URL: database.url, NATS_URL: nats.url, BLOB_URL: pathToFileURL(blobDir).href },
    own(resource) {
      owned.push(resource);
      return resource;
    },
    async close() {
      for (const resource of owned.reverse()) await resource.close();
      await nats.close();
      await database.close();
      await stopTelemetry();
      rmSync(blobDir, { recursive: true, force: true });
    },
  };
}
