import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../migrate.ts';
import { type Ground, ROOT, TOOLS_DIR } from './ground.ts';
import { chromiumPath } from './parts/chromium.ts';
import { natsPlan } from './parts/nats.ts';
import { configuredPart, ownPart, type Part } from './parts/part.ts';
import { databaseUrlAt, postgresPlan } from './parts/postgres.ts';
import { copyTemplate } from './parts/postgres-template.ts';
import { redisPlan } from './parts/redis.ts';
import { type ServerName, serverPrograms } from './parts/servers.ts';
import { LOOPBACK } from './ports.ts';

export interface Parts {
  readonly postgres: Part;
  readonly nats: Part;
  readonly redis: Part;
  readonly blobUrl: string;
  readonly chromiumPath: string;
}

/** Starts what the services stand on, side by side; what is configured by URL is used instead. */
export async function startParts(ground: Ground, ephemeral: boolean, withBrowser: boolean): Promise<Parts> {
  const [postgres, { nats, redis }, browser] = await allOrFirstFailure([
    startPostgres(ground, ephemeral),
    startServers(ground),
    withBrowser ? findBrowser(ground) : Promise.resolve(''),
  ] as const);
  const blobUrl = configured('BLOB_URL') ?? `file://${join(ground.dataDir, 'blobs')}`;
  return { postgres, nats, redis, blobUrl, chromiumPath: browser };
}

async function startPostgres(ground: Ground, ephemeral: boolean): Promise<Part> {
  const { progress } = ground;
  const part = await databasePart(ground, ephemeral);
  await progress.step(
    'migrations',
    () => migrate(part.url, { scratchDir: join(ground.dataDir, 'tmp') }),
    (migrated) => (migrated.length === 0 ? 'nothing to apply' : `applied for ${migrated.join(', ')}`),
  );
  return part;
}

async function databasePart(ground: Ground, ephemeral: boolean): Promise<Part> {
  const url = configured('DATABASE_URL');
  if (url !== undefined) return told(ground, 'postgres', url);
  const port = ground.port('postgres');
  const { dataDir, progress } = ground;
  const isNew = !existsSync(join(dataDir, 'postgres'));
  if (isNew && ephemeral) await copyTemplate(TOOLS_DIR, join(ROOT, 'services'), dataDir);
  else if (isNew) progress.note('postgres', 'making a new database cluster');
  const server = await progress.step(
    'postgres',
    async () => ground.run(await postgresPlan({ dataDir, port, ephemeral })),
    () => `ready on ${LOOPBACK}:${port}`,
  );
  return ownPart(databaseUrlAt(port), port, server);
}

async function startServers(ground: Ground): Promise<{ nats: Part; redis: Part }> {
  const { dataDir, progress } = ground;
  const natsUrl = configured('NATS_URL');
  const redisUrl = configured('REDIS_URL');
  const wanted: ServerName[] = [
    ...(natsUrl ? [] : ['nats-server' as const]),
    ...(redisUrl ? [] : ['redis-server' as const]),
  ];
  const program = await serverPrograms(TOOLS_DIR, wanted, (text) => progress.note('packages', text));
  const nats = async (): Promise<Part> => {
    if (natsUrl !== undefined) return told(ground, 'nats', natsUrl);
    const port = ground.port('nats');
    const plan = natsPlan(dataDir, port, program('nats-server'));
    const server = await progress.step(
      'nats',
      () => ground.run(plan),
      () => `ready on ${LOOPBACK}:${port}`,
    );
    return ownPart(`nats://${LOOPBACK}:${port}`, port, server);
  };
  const redis = async (): Promise<Part> => {
    if (redisUrl !== undefined) return told(ground, 'redis', redisUrl);
    const port = ground.port('redis');
    const plan = redisPlan(dataDir, port, program('redis-server'));
    const server = await progress.step(
      'redis',
      () => ground.run(plan),
      () => `ready on ${LOOPBACK}:${port}`,
    );
    return ownPart(`redis://${LOOPBACK}:${port}`, port, server);
  };
  const [natsPart, redisPart] = await allOrFirstFailure([nats(), redis()] as const);
  return { nats: natsPart, redis: redisPart };
}

const findBrowser = ({ progress }: Ground): Promise<string> =>
  progress.step(
    'chromium',
    () => chromiumPath(TOOLS_DIR, (text) => progress.note('chromium', text)),
    (path) => path,
  );

function told(ground: Ground, name: string, url: string): Part {
  ground.progress.note(name, `used as configured: ${withoutPassword(url)}`);
  return configuredPart(name, url);
}

function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return 'an address that is no URL';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  return url.href;
}

function configured(key: string): string | undefined {
  const value = process.env[key];
  return value === undefined || value === '' ? undefined : value;
}

/** Waits for all to settle, so that nothing is still being started when the first failure is told. */
async function allOrFirstFailure<Tasks extends readonly Promise<unknown>[]>(
  tasks: Tasks,
): Promise<{ -readonly [Key in keyof Tasks]: Awaited<Tasks[Key]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
