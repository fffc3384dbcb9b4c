// A process that hosts one or several services. TIDEMARK_HOST_PLAN lists them with their environment. It notifies its parent over
// the IPC channel when they are ready, and exits when its parent does.
import { type ConfigShape, type ServiceDefinition, type StartedService, start, stopTelemetry } from '@tidemark/service';
import { asObject } from './json-file.ts';
import { messageOf } from './problem.ts';

const CLOSE_WITHIN_MS = 8_000;

/** Message from a host process to its parent. */
export type HostMessage = { readonly ready: true } | { readonly failed: string };

const running: StartedService[] = [];
let ending = false;

async function end(exitCode: number): Promise<void> {
  if (ending) return;
  ending = true;
  // The process exits even if a service does not close in time: jobs survive it.
  setTimeout(() => process.exit(exitCode), CLOSE_WITHIN_MS).unref();
  await Promise.allSettled(running.map((service) => service.close()));
  await stopTelemetry();
  process.exit(exitCode);
}

async function host(plan: string): Promise<void> {
  const services = Object.entries(asObject(JSON.parse(plan)));
  await Promise.all(
    services.map(async ([name, env]) => {
      const definition = await definitionOf(name);
      running.push(await start(definition, stringsOf(env)));
    }),
  );
}

async function definitionOf(name: string): Promise<ServiceDefinition<ConfigShape>> {
  const exported: unknown = await import(`@tidemark/${name}`);
  const camelCase = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const definition = asObject(exported)[camelCase];
  if (!isDefinition(definition))
    throw new Error(`@tidemark/${name} does not export the service definition "${camelCase}"`);
  return definition;
}

function isDefinition(value: unknown): value is ServiceDefinition<ConfigShape> {
  const { name, start: starts } = asObject(value);
  return typeof name === 'string' && typeof starts === 'function';
}

function stringsOf(env: unknown): Record<string, string> {
  const strings = Object.entries(asObject(env)).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  );
  return Object.fromEntries(strings);
}

const notifyParent = (message: HostMessage): void => void process.send?.(message);

process.on('SIGTERM', () => void end(0));
process.on('SIGINT', () => void end(0));
process.on('disconnect', () => void end(0)); // the parent is gone, however it went
try {
  await host(process.env['TIDEMARK_HOST_PLAN'] ?? '{}');
  notifyParent({ ready: true });
} catch (error) {
  console.error(error);
  notifyParent({ failed: messageOf(error) });
  await end(1);
}
