import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../local/json-file.ts';
import { sealingKeys } from '../local/local-keys.ts';
import { takeLock } from '../local/lock.ts';
import { natsUrlAt } from '../local/parts/nats.ts';
import { serverPasswords } from '../local/parts/passwords.ts';
import { postgresPlan } from '../local/parts/postgres.ts';
import { databaseUrlAt, hasCluster } from '../local/parts/postgres-roles.ts';
import { redisUrlAt } from '../local/parts/redis.ts';
import { choosePorts } from '../local/ports.ts';
import { Problem } from '../local/problem.ts';
import { runningProcesses } from '../local/run-file.ts';
import { defaultDataDir, makeDataFolder } from '../local/stack-context.ts';
import { Supervised } from '../local/supervise.ts';
import { readSealingKeys, type SealingKeys } from './keys/sealing-keys.ts';

/** What the commands of an operator work on: the stores of one installation. */
export interface Installation {
  readonly databaseUrl: string;
  readonly blobUrl: string;
  /** NATS of the installation; undefined on one machine while the fleet does not run. */
  readonly natsUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly sealingKeys: SealingKeys;
  /** Data folder of an installation on one machine; undefined: the stores are configured by DATABASE_URL and the others. */
  readonly dataDir: string | undefined;
  /** Whether services run on it, as far as this machine shows. */
  readonly isRunning: boolean;
  close(): Promise<void>;
}

/**
 * Opens the installation that the environment names (DATABASE_URL, BLOB_URL, SEALING_KEYS), otherwise the one in the data folder of this
 * machine. PostgreSQL of a data folder is started if the fleet does not run, and then stopped by `close`.
 * @throws Problem stating what is missing
 */
export async function openInstallation(): Promise<Installation> {
  return isConfigured() ? configured(process.env['DATABASE_URL'] ?? '') : openDataFolder(defaultDataDir());
}

/** Returns whether the environment names an installation: its stores are then those of DATABASE_URL and the others. */
export const isConfigured = (): boolean => (process.env['DATABASE_URL'] ?? '') !== '';

function configured(databaseUrl: string): Installation {
  const required = (key: string): string => {
    const value = process.env[key] ?? '';
    if (value === '') throw new Problem(`${key} is not set; expected it beside DATABASE_URL, as the services have it.`);
    return value;
  };
  return {
    databaseUrl,
    blobUrl: required('BLOB_URL'),
    natsUrl: process.env['NATS_URL'],
    redisUrl: process.env['REDIS_URL'],
    sealingKeys: readSealingKeys(required('SEALING_KEYS')),
    dataDir: undefined,
    isRunning: false,
    close: async () => undefined,
  };
}

/** Opens the installation of a data folder. Without a cluster in it an empty one is made, for a restore. */
export async function openDataFolder(dataDir: string): Promise<Installation> {
  const isRunning = runningProcesses(join(dataDir, 'run.json')).some(({ name }) => name === 'postgres');
  const common = {
    blobUrl: process.env['BLOB_URL'] ?? `file://${join(dataDir, 'blobs')}`,
    ...(isRunning ? serversOf(dataDir) : { natsUrl: undefined, redisUrl: undefined }),
    dataDir,
    isRunning,
  };
  makeDataFolder(dataDir);
  if (isRunning) {
    const { postgres: port } = readJson(join(dataDir, 'ports.json'));
    const keys = readSealingKeys(sealingKeys(dataDir));
    return {
      ...common,
      databaseUrl: databaseUrlAt(dataDir, Number(port)),
      sealingKeys: keys,
      close: async () => undefined,
    };
  }
  const port = (await choosePorts(join(dataDir, 'ports.json'), ['postgres']))('postgres');
  const unlock = takeLock(join(dataDir, 'lock'));
  try {
    for (const dir of ['tmp', 'logs', 'blobs']) mkdirSync(join(dataDir, dir), { recursive: true, mode: 0o700 });
    const plan = await postgresPlan({ dataDir, port, ephemeral: false });
    const server = new Supervised(plan, { keepAlive: false, onChange: () => {}, onUnexpectedEnd: () => {} });
    await server.start();
    return {
      ...common,
      databaseUrl: databaseUrlAt(dataDir, port),
      sealingKeys: readSealingKeys(sealingKeys(dataDir)),
      async close() {
        await server.stop();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Returns whether a data folder contains an installation. */
export const hasInstallation = (dataDir: string): boolean => existsSync(dataDir) && hasCluster(dataDir);

/** Returns the addresses of the running servers of a data folder. */
function serversOf(dataDir: string): { readonly natsUrl: string; readonly redisUrl: string } {
  const { nats, redis } = readJson(join(dataDir, 'ports.json'));
  const passwords = serverPasswords(dataDir);
  return { natsUrl: natsUrlAt(Number(nats), passwords.nats), redisUrl: redisUrlAt(Number(redis), passwords.redis) };
}
