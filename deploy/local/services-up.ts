import { setTimeout as sleep } from 'node:timers/promises';
import { type Ground, TOOLS_DIR } from './ground.ts';
import { hostPlan } from './host-process.ts';
import { LOOPBACK } from './ports.ts';
import { messageOf, Problem } from './problem.ts';
import { processesOf, type ServiceName, type Surroundings, serviceEnv } from './service-plan.ts';
import type { ServiceHandle, StackOptions } from './stack-types.ts';
import type { Supervised } from './supervise.ts';

const READY_WITHIN_MS = 45_000;

/** Starts the services' processes side by side and waits until every service says that it is ready. */
export async function startServices(
  ground: Ground,
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
      const plan = hostPlan(name, envs, { dataDir: ground.dataDir, toolsDir: TOOLS_DIR });
      await ground.progress.step(
        name,
        async () => {
          const supervised = await ground.run(plan);
          await Promise.all(members.map((member) => untilReady(ground, member)));
          for (const member of members) handles.set(member, handleOf(ground, member, supervised));
        },
        () => (members.length === 1 && members[0] === name ? 'ready' : `ready: ${members.join(', ')}`),
      );
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return handles;
}

function handleOf(ground: Ground, name: ServiceName, supervised: Supervised): ServiceHandle {
  return {
    name,
    grpcAddr: `${LOOPBACK}:${ground.port(`${name}.grpc`)}`,
    httpAddr: `${LOOPBACK}:${ground.port(`${name}.http`)}`,
    get pid() {
      return supervised.pid;
    },
    kill: (signal) => supervised.kill(signal),
    restart: async () => {
      await supervised.restart();
      await untilReady(ground, name);
    },
  };
}

/** Asks a service's readiness until it is given: its database, bus and the like answer. */
async function untilReady(ground: Ground, name: ServiceName): Promise<void> {
  const url = `http://${LOOPBACK}:${ground.port(`${name}.http`)}/readyz`;
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const missing = await readiness(url);
    if (missing === undefined) return;
    if (performance.now() > deadline)
      throw new Problem(
        `${name} was not ready within ${READY_WITHIN_MS / 1000} s: ${missing}; its log is in ${ground.dataDir}/logs.`,
      );
    await sleep(60);
  }
}

/** Nothing where a service is ready, else what it says it is missing. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    const text = await response.text();
    return response.ok ? undefined : text.trim().replaceAll('\n', '; ');
  } catch (error) {
    return messageOf(error);
  }
}
