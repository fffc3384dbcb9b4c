import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../migrate.ts';
import { buildConsole } from './console-build.ts';
import { unpackBrowserFonts } from './parts/browser-fonts.ts';
import { type Chromium, chromiumPath, chromiumSandbox } from './parts/chromium.ts';
import { natsPlan, natsUrlAt } from './parts/nats.ts';
import { configuredPart, ownPart, type Part } from './parts/part.ts';
import { serverPasswords } from './parts/passwords.ts';
import { postgresPlan } from './parts/postgres.ts';
import { databaseUrlAt } from './parts/postgres-roles.ts';
import { copyTemplate } from './parts/postgres-template.ts';
import { redisPlan, redisUrlAt } from './parts/redis.ts';
import { type ServerName, serverPrograms } from './parts/servers.ts';
import { LOOPBACK } from './ports.ts';
import { ROOT, type StackContext, TOOLS_DIR } from './stack-context.ts';
import type { StackOptions } from './stack-types.ts';

export interface Parts {
  readonly postgres: Part;
  readonly nats: Part;
  readonly redis: Part;
  readonly blobUrl: string;
  readonly chromium: Chromium;
  /** Folder of the built console; empty if none is served. */
  readonly consoleDir: string;
}

/** Starts the servers that the services need in parallel; a server that is configured by URL is used instead. */
export async function startParts(
  context: StackContext,
  options: Pick<StackOptions, 'ephemeral' | 'console'>,
  withBrowser: boolean,
): Promise<Parts> {
  const [postgres, { nats, redis }, chromium, consoleDir] = await allOrFirstFailure([
    startPostgres(context, options.ephemeral ?? false),
    startServers(context),
    withBrowser ? findBrowser(context) : Promise.resolve(NO_BROWSER),
    options.console === true ? makeConsole(context) : Promise.resolve(''),
  ] as const);
  const blobUrl = configured('BLOB_URL') ?? `file://${join(context.dataDir, 'blobs')}`;
  return { postgres, nats, redis, blobUrl, chromium, consoleDir };
}

async function startPostgres(context: StackContext, ephemeral: boolean): Promise<Part> {
  const { progress } = context;
  const part = await databasePart(context, ephemeral);
  await progress.step(
    'migrations',
    () => migrate(part.url, { scratchDir: join(context.dataDir, 'tmp') }),
    (migrated) => (migrated.length === 0 ? 'nothing to apply' : `applied for ${migrated.join(', ')}`),
  );
  return part;
}

async function databasePart(context: StackContext, ephemeral: boolean): Promise<Part> {
  const url = configured('DATABASE_URL');
  if (url !== undefined) return asConfigured(context, 'postgres', url);
  const port = context.port('postgres');
  const { dataDir, progress } = context;
  const isNew = !existsSync(join(dataDir, 'postgres'));
  if (isNew && ephemeral) await copyTemplate(TOOLS_DIR, join(ROOT, 'services'), dataDir);
  else if (isNew) progress.note('postgres', 'making a new database cluster');
  const server = await progress.step(
    'postgres',
    async () => context.run(await postgresPlan({ dataDir, port, ephemeral })),
    () => `ready on ${LOOPBACK}:${port}`,
  );
  return ownPart(databaseUrlAt(dataDir, port), port, server);
}

async function startServers(context: StackContext): Promise<{ nats: Part; redis: Part }> {
  const { dataDir, progress } = context;
  const natsUrl = configured('NATS_URL');
  const redisUrl = configured('REDIS_URL');
  const needed: ServerName[] = [
    ...(natsUrl ? [] : ['nats-server' as const]),
    ...(redisUrl ? [] : ['redis-server' as const]),
  ];
  const passwords = serverPasswords(dataDir);
  const program = await serverPrograms(TOOLS_DIR, needed, (text) => progress.note('packages', text));
  const nats = async (): Promise<Part> => {
    if (natsUrl !== undefined) return asConfigured(context, 'nats', natsUrl);
    const port = context.port('nats');
    const plan = natsPlan(dataDir, port, { program: program('nats-server'), password: passwords.nats });
    const server = await progress.step(
      'nats',
      () => context.run(plan),
      () => `ready on ${LOOPBACK}:${port}`,
    );
    return ownPart(natsUrlAt(port, passwords.nats), port, server);
  };
  const redis = async (): Promise<Part> => {
    if (redisUrl !== undefined) return asConfigured(context, 'redis', redisUrl);
    const port = context.port('redis');
    const plan = redisPlan(dataDir, port, { program: program('redis-server'), password: passwords.redis });
    const server = await progress.step(
      'redis',
      () => context.run(plan),
      () => `ready on ${LOOPBACK}:${port}`,
    );
    return ownPart(redisUrlAt(port, passwords.redis), port, server);
  };
  const [natsPart, redisPart] = await allOrFirstFailure([nats(), redis()] as const);
  return { nats: natsPart, redis: redisPart };
}

const NO_BROWSER: Chromium = { path: '', sandbox: 'on' };

const findBrowser = ({ progress }: StackContext): Promise<Chromium> => {
  const note = (text: string): void => progress.note('chromium', text);
  return progress.step(
    'chromium',
    async () => {
      await unpackBrowserFonts(TOOLS_DIR, note);
      return { path: await chromiumPath(TOOLS_DIR, note), sandbox: chromiumSandbox(note) };
    },
    ({ path, sandbox }) => `${path}, sandbox ${sandbox}`,
  );
};

const makeConsole = ({ progress }: StackContext): Promise<string> =>
  progress.step('console', buildConsole, () => 'built');

function asConfigured(context: StackContext, name: string, url: string): Part {
  context.progress.note(name, `used as configured: ${withoutPassword(url)}`);
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

/** Waits until every task has settled, so that no start is in progress when the first failure is thrown. */
async function allOrFirstFailure<Tasks extends readonly Promise<unknown>[]>(
  tasks: Tasks,
): Promise<{ -readonly [Key in keyof Tasks]: Awaited<Tasks[Key]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
