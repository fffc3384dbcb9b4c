import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { asObject } from './json-file.ts';
import { plainEnv } from './parts/part.ts';
import { Problem } from './problem.ts';
import type { ServiceName } from './service-plan.ts';
import type { ProcessPlan } from './supervise.ts';

/** Settings of a host process besides its services. */
export interface HostSurroundings {
  readonly dataDir: string;
  readonly toolsDir: string;
}

// One garbage collection thread: more would compete with the work on a small machine. A fixed young space and an old space
// with some headroom avoid the continuous marking by which V8 keeps the heap small. Twice the young space saves no
// measurable time and takes 33 MB per reader thread.
const gc = (oldMb: number, maxOldMb: number, youngMb = 16): readonly string[] => [
  '--single-threaded-gc',
  `--min-semi-space-size=${youngMb}`,
  `--max-semi-space-size=${youngMb}`,
  `--initial-old-space-size=${oldMb}`,
  `--max-old-space-size=${maxOldMb}`,
];
const V8_FLAGS: Record<string, readonly string[]> = {
  light: gc(96, 384),
  // The rows of a record live as long as their batch: a small young space copies each batch several times.
  diff: gc(128, 768, 32),
  // Fixed as well: otherwise the young space grows for minutes.
  'browser-pool': ['--min-semi-space-size=8', '--max-semi-space-size=8', '--max-old-space-size=384'],
};
const V8_FLAGS_ELSE: readonly string[] = gc(64, 768);

/** Resident memory, MB, near which a process refuses new work: its heap, buffers outside the heap, and code. */
const MEMORY_MB: Record<string, number> = { light: 1_024, diff: 1_280, 'browser-pool': 768, scrape: 2_048 };
const MEMORY_MB_ELSE = 1_280;

/** Returns the plan of a process that runs services from their TypeScript sources. */
export function hostPlan(
  name: string,
  services: ReadonlyMap<ServiceName, Record<string, string>>,
  at: HostSurroundings,
): ProcessPlan {
  const flags = [
    '--conditions=tidemark-source',
    '--disable-warning=ExperimentalWarning',
    ...(V8_FLAGS[name] ?? V8_FLAGS_ELSE),
  ];
  const tmpDir = join(at.dataDir, 'tmp');
  return {
    name,
    command: [process.execPath, ...flags, join(import.meta.dirname, 'host.ts')],
    env: plainEnv(tmpDir, {
      ...telemetryEnv(),
      HOME: tmpDir, // nothing outside the project is written, caches of libraries and of Chromium included
      NODE_COMPILE_CACHE: join(at.toolsDir, 'compile-cache'),
      TIDEMARK_MEMORY_MB: String(MEMORY_MB[name] ?? MEMORY_MB_ELSE),
      MALLOC_ARENA_MAX: '2', // glibc would keep an arena of 64 MB per thread
      TIDEMARK_HOST_PLAN: JSON.stringify(Object.fromEntries(services)),
    }),
    cwd: at.dataDir,
    logFile: join(at.dataDir, 'logs', `${name}.log`),
    ipc: true,
    readyWithinMs: 60_000,
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

function hostReady(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const { ready, failed } = asObject(message);
      if (ready === true) resolve();
      if (typeof failed === 'string') reject(new Problem(`${name} could not start: ${failed}`));
    });
  });
}
