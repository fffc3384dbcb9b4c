import { join, resolve } from 'node:path';
import { type SampleSite, startSampleSite } from '../sample-site/server.ts';
import { SERVICES, type ServiceName } from '../services.ts';
import { fleetKeys, sealingKeys } from './local-keys.ts';
import { takeLock } from './lock.ts';
import { type Parts, startParts } from './parts-up.ts';
import { isFree, LOOPBACK } from './ports.ts';
import { Problem } from './problem.ts';
import { endLeftovers } from './run-file.ts';
import type { Surroundings } from './service-plan.ts';
import { startServices } from './services-up.ts';
import { makeDataFolder, StackContext } from './stack-context.ts';
import type { ServiceHandle, Stack, StackOptions } from './stack-types.ts';

export type { ServiceName } from '../services.ts';
export type { Part } from './parts/part.ts';
export type { ServiceHandle, Stack, StackOptions } from './stack-types.ts';

/**
 * Starts a complete stack in `dataDir`: PostgreSQL, NATS, Redis, a browser, the sample site and the services.
 * A failure is thrown as a `Problem` after every process has been stopped.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  makeDataFolder(dataDir);
  const unlock = takeLock(join(dataDir, 'lock'));
  try {
    const left = await endLeftovers(join(dataDir, 'run.json'), dataDir);
    if (left.length > 0) options.progress?.note('leftovers', `ended what an earlier start left: ${left.join(', ')}`);
    if (options.port !== undefined && !(await isFree(options.port))) throw new Problem(portTaken(options.port));
    const context = await StackContext.open(options);
    return await raise(context, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const portTaken = (port: number): string =>
  `Port ${port} on ${LOOPBACK} is taken by another program; stop that one, or choose another port: npm start -- --port ${port + 1}.`;

async function raise(context: StackContext, options: StackOptions, unlock: () => void): Promise<Stack> {
  const services = options.services ?? SERVICES;
  const sampleSite = await startSampleSite(context.port('sample-site'));
  const stop = makeStop(context, sampleSite, unlock);
  const callOff = (): void => void stop();
  options.signal?.addEventListener('abort', callOff, { once: true });
  try {
    const parts = await startParts(context, options, services.includes('browser-pool'));
    const around = surroundings(context, parts, sampleSite, options);
    const handles = await startServices(context, around, services, options);
    return stackOf(context, parts, sampleSite, handles, stop);
  } catch (error) {
    await stop();
    context.killNow(); // what was being started while the others stopped
    throw options.signal?.aborted ? new Problem('The start was called off; nothing is left running.') : error;
  } finally {
    options.signal?.removeEventListener('abort', callOff);
  }
}

function surroundings(
  context: StackContext,
  parts: Parts,
  sampleSite: SampleSite,
  options: StackOptions,
): Surroundings {
  return {
    databaseUrl: parts.postgres.url,
    natsUrl: parts.nats.url,
    redisUrl: parts.redis.url,
    blobUrl: parts.blobUrl,
    chromium: parts.chromium,
    egressAllow: [new URL(sampleSite.url).host, options.egressAllow ?? ''].filter((entry) => entry !== '').join(','),
    sealingKeys: sealingKeys(context.dataDir),
    fleetKeys: fleetKeys(context.dataDir),
    logLevel: options.logLevel ?? process.env['LOG_LEVEL'] ?? 'info',
    restPort: Number(new URL(context.url).port),
    consoleDir: parts.consoleDir,
    mcpPort: context.port('mcp'),
    exitProxyPort: context.port('exit-proxy'),
    paymentPorts: options.paymentPorts ?? [],
    port: (service, protocol) => context.port(`${service}.${protocol}`),
  };
}

function makeStop(context: StackContext, sampleSite: SampleSite, unlock: () => void): () => Promise<void> {
  // Services first, so that they can finish their work; then the servers they use.
  const foundation = ['redis', 'nats', 'postgres'];
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await context.stop(context.processNames.filter((name) => !foundation.includes(name)));
    await sampleSite.close();
    for (const name of foundation) await context.stop([name]);
    context.close();
    unlock();
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

function stackOf(
  context: StackContext,
  { postgres, nats, redis, blobUrl }: Parts,
  sampleSite: SampleSite,
  services: ReadonlyMap<ServiceName, ServiceHandle>,
  stop: () => Promise<void>,
): Stack {
  return {
    url: context.url,
    mcpUrl: `http://${LOOPBACK}:${context.port('mcp')}/mcp`,
    urls: { databaseUrl: postgres.url, natsUrl: nats.url, redisUrl: redis.url, blobUrl },
    services,
    parts: { postgres, nats, redis },
    sampleSite,
    dataDir: context.dataDir,
    stop,
    killNow: () => context.killNow(),
  };
}
