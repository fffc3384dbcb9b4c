import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ServiceName } from '../services.ts';
import { asObject } from './json-file.ts';
import { memoryLimits } from './memory-limits.ts';
import { plainEnv } from './parts/part.ts';
import { Problem } from './problem.ts';
import type { ProcessPlan } from './supervise.ts';

/** Settings of a host process besides its services. */
export interface HostSurroundings {
  readonly dataDir: string;
  readonly toolsDir: string;
}

/** Returns the plan of a process that runs services from their TypeScript sources. */
export function hostPlan(
  name: string,
  services: ReadonlyMap<ServiceName, Record<string, string>>,
  at: HostSurroundings,
): ProcessPlan {
  const memory = memoryLimits(name, process.env['TIDEMARK_MEMORY_SCALE'] ?? '');
  const more = (process.env['TIDEMARK_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  const flags = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', ...memory.nodeFlags, ...more];
  const tmpDir = join(at.dataDir, 'tmp');
  return {
    name,
    command: [process.execPath, ...flags, join(import.meta.dirname, 'host.ts')],
    env: plainEnv(tmpDir, {
      ...telemetryEnv(),
      ...authorityEnv(),
      HOME: tmpDir, // nothing outside the project is written, caches of libraries and of Chromium included
      // The processes of tests share the cache of the run.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(at.toolsDir, 'compile-cache'),
      TIDEMARK_MEMORY_MB: String(memory.residentMb),
      MALLOC_ARENA_MAX: '2', // glibc would keep an arena of 64 MB per thread
      MALLOC_MMAP_THRESHOLD_: '1048576', // larger buffers return to the system when they are freed
      TIDEMARK_HOST_PLAN: JSON.stringify(Object.fromEntries(services)),
    }),
    cwd: at.dataDir,
    logFile: join(at.dataDir, 'logs', `${name}.log`),
    ipc: true,
    readyWithinMs: 180_000, // far above the noise of a loaded machine
    stopSignal: 'SIGTERM',
    stopWithinMs: 9_000,
    probe: (child) => hostReady(name, child),
  };
}

/** Returns the standard OpenTelemetry variables, which every process receives. */
function telemetryEnv(): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([key, value]) =>
    key.startsWith('OTEL_') && value !== undefined ? [[key, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Returns the file of the operator's certificate authorities, which Node.js trusts in addition to its own. */
function authorityEnv(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
}

function hostReady(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const { ready, failed } = asObject(message);
      if (ready === true) resolve();
      if (typeof failed === 'string') reject(new Problem(`${name} could not start: ${failed}`));
    });
  });
}
