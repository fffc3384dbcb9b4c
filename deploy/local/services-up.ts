import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '../services.ts';
import { hostPlan } from './host-process.ts';
import { LOOPBACK } from './ports.ts';
import { messageOf, Problem } from './problem.ts';
import { processesOf, type Surroundings, serviceEnv } from './service-plan.ts';
import { type StackContext, TOOLS_DIR } from './stack-context.ts';
import type { ServiceHandle, StackOptions } from './stack-types.ts';
import type { Supervised } from './supervise.ts';

const READY_WITHIN_MS = 45_000;

/** Starts the services' processes in parallel and waits until every service is ready. */
export async function startServices(
  context: StackContext,
  around: Surroundings,
  services: readonly ServiceName[],
  options: StackOptions,
): Promise<Map<ServiceName, ServiceHandle>> {
  const groups = [...processesOf(services, options.processPerService ?? false)];
  const handles = new Map<ServiceName, ServiceHandle>();
  const results = await Promise.allSettled(
    groups.map(async ([name, members]) => {
      const envs = new Map(
        members.map((member) => [member, { ...serviceEnv(member, around), ...options.env?.[member] }] as const),
      );
      const plan = hostPlan(name, envs, { dataDir: context.dataDir, toolsDir: TOOLS_DIR });
      await context.progress.step(
        name,
        async () => {
          const supervised = await context.run(plan);
          await Promise.all(members.map((member) => untilReady(context, member)));
          for (const member of members) handles.set(member, handleOf(context, member, supervised));
        },
        () => (members.length === 1 && members[0] === name ? 'ready' : `ready: ${members.join(', ')}`),
      );
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return handles;
}

function handleOf(context: StackContext, name: ServiceName, supervised: Supervised): ServiceHandle {
  return {
    name,
    grpcAddr: `${LOOPBACK}:${context.port(`${name}.grpc`)}`,
    httpAddr: `${LOOPBACK}:${context.port(`${name}.http`)}`,
    get pid() {
      return supervised.pid;
    },
    kill: (signal) => supervised.kill(signal),
    restart: async () => {
      await supervised.restart();
      await untilReady(context, name);
    },
  };
}

/** Checks the readiness of a service until it is ready: its database, bus and other dependencies respond. */
async function untilReady(context: StackContext, name: ServiceName): Promise<void> {
  const url = `http://${LOOPBACK}:${context.port(`${name}.http`)}/readyz`;
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const missing = await readiness(url);
    if (missing === undefined) return;
    if (performance.now() > deadline)
      throw new Problem(
        `${name} was not ready within ${READY_WITHIN_MS / 1000} s: ${missing}; its log is in ${context.dataDir}/logs.`,
      );
    await sleep(60);
  }
}

/** Returns undefined if a service is ready, otherwise its missing dependencies. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    const text = await response.text();
    return response.ok ? undefined : text.trim().replaceAll('\n', '; ');
  } catch (error) {
    return messageOf(error);
  }
}
