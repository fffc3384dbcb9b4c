import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, pssMb } from '../../deploy/local/process-memory.ts';
import { commandLine } from '../../deploy/local/processes.ts';
import { runningProcesses } from '../../deploy/local/run-file.ts';
import { collectGarbage } from './inspector.ts';

const MB = 1024 * 1024;
/** Time for what is still under way after a load, such as deliveries and events, ms. */
const REST_MS = 8_000;
const SAMPLES = 2;

/** Memory of one process of a stack after a collection of its garbage. */
export interface ProcessMemory {
  readonly name: string;
  readonly pid: number;
  /** Used by JavaScript, worker threads included; undefined for a process that is not Node's. */
  readonly heapMb: number | undefined;
  /** PSS of the process alone. */
  readonly pssMb: number;
  /** PSS of its children: those of PostgreSQL, and the browsers of browser-pool. */
  readonly childrenMb: number;
}

const isHost = (pid: number): boolean => commandLine(pid).some((word) => word.endsWith('/host.ts'));

/** Measures every process of a stack but its supervisor, one after another. The processes keep working meanwhile. */
export async function measureMemory(dataDir: string): Promise<ProcessMemory[]> {
  const measured: ProcessMemory[] = [];
  for (const { name, pid } of runningProcesses(join(dataDir, 'run.json'))) {
    if (name === 'supervisor') continue;
    // Twice: finalizers that ran in the first collection release what the second one frees.
    const heaps = isHost(pid) ? [await collectGarbage(pid), await collectGarbage(pid)].at(-1) : undefined;
    measured.push({
      name,
      pid,
      heapMb: heaps === undefined ? undefined : heaps.usedBytes / MB,
      pssMb: pssMb(pid),
      childrenMb: descendantsOf(pid).reduce((sum, child) => sum + pssMb(child), 0),
    });
  }
  return measured;
}

/** Measures a stack some times after its load has ended and returns the smallest figures: what remains when nothing is under way. */
export async function measureAtRest(dataDir: string): Promise<ProcessMemory[]> {
  await sleep(REST_MS);
  const samples: ProcessMemory[][] = [];
  for (let n = 0; n < SAMPLES; n += 1) samples.push(await measureMemory(dataDir));
  const [first = []] = samples;
  return first.map((one) => {
    const same = samples.flatMap((sample) => sample.filter(({ pid }) => pid === one.pid));
    const least = (read: (memory: ProcessMemory) => number): number => Math.min(...same.map(read));
    return {
      ...one,
      heapMb: one.heapMb === undefined ? undefined : least(({ heapMb = 0 }) => heapMb),
      pssMb: least((memory) => memory.pssMb),
      childrenMb: least(({ childrenMb }) => childrenMb),
    };
  });
}
