import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { memoryOf, treeOf } from '../../services/browser-pool/src/chromium/process-tree.ts';

const MS_PER_TICK = 1_000 / Number(execFileSync('getconf', ['CLK_TCK']).toString());
const POLL_EVERY_MS = 1_000;

/** A process that is measured with its descendants. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

/** Cost of one measured call. */
export interface Cost {
  readonly seconds: number;
  readonly cpuMs: number;
  readonly cpuMsByName: ReadonlyMap<string, number>;
  /** CPU milliseconds of the threads that live at the end, by process and name of the thread. */
  readonly cpuMsByThread: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Peak memory of all processes together, MB of PSS. */
  readonly peakMb: number;
  /** Cores used by other processes of the machine meanwhile. */
  readonly othersCores: number;
}

function statOf(path: string): string[] {
  try {
    const stat = readFileSync(path, 'utf8');
    // The command's name may hold spaces and parentheses; the fields start after its last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const ticks = (fields: readonly string[]): number =>
  fields.reduce((sum, field) => sum + Number(field), 0) * MS_PER_TICK;

/** Returns the CPU milliseconds of one process and of its ended children. */
export const cpuOfOneMs = (pid: number): number => ticks(statOf(`/proc/${pid}/stat`).slice(11, 15));

/** Returns the CPU milliseconds of the threads of a process, by name; threads of one name together. */
function cpuOfThreadsMs(pid: number): Map<string, number> {
  const byName = new Map<string, number>();
  for (const id of threadsOf(pid)) {
    const name = pid === Number(id) ? 'main' : commandOf(`/proc/${pid}/task/${id}/comm`);
    const ms = ticks(statOf(`/proc/${pid}/task/${id}/stat`).slice(11, 13));
    byName.set(name, (byName.get(name) ?? 0) + ms);
  }
  return byName;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function commandOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

const cpuOfTree = (root: number): number => treeOf(root).reduce((sum, pid) => sum + cpuOfOneMs(pid), 0);

/** Returns the CPU milliseconds of this process's ended children. */
const cpuOfEndedMs = (): number => ticks(statOf('/proc/self/stat').slice(13, 15));

/** Returns the CPU milliseconds of the whole machine since boot. */
function cpuOfMachineMs(): number {
  const [, user, nice, system, , , irq, softirq] =
    /^cpu .*/.exec(readFileSync('/proc/stat', 'utf8'))?.[0].split(/\s+/) ?? [];
  return ticks([user ?? '0', nice ?? '0', system ?? '0', irq ?? '0', softirq ?? '0']);
}

export const memoryMbOf = (watched: readonly Watched[]): number =>
  watched.reduce((sum, { pid }) => sum + memoryOf(pid), 0) / 1024 / 1024;

/** Runs `run` and measures the watched processes. The CPU of `known` processes does not count as other load. */
export async function costOf<T>(
  watched: readonly Watched[],
  known: readonly number[],
  run: () => Promise<T>,
): Promise<{ value: T; cost: Cost }> {
  const own = () => known.reduce((sum, pid) => sum + cpuOfOneMs(pid), cpuOfOneMs(process.pid));
  const cpus = () => watched.map(({ pid }) => cpuOfTree(pid));
  const threads = () => new Map(watched.map(({ name, pid }) => [name, cpuOfThreadsMs(pid)]));
  const [before, ownBefore, machineBefore, threadsBefore] = [cpus(), own(), cpuOfMachineMs(), threads()];
  let peakMb = memoryMbOf(watched);
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, memoryMbOf(watched));
  }, POLL_EVERY_MS);
  const startedAtMs = performance.now();
  try {
    const value = await run();
    const elapsedMs = performance.now() - startedAtMs;
    const each = cpus().map((now, at) => now - (before[at] ?? 0));
    const cpuMs = each.reduce((sum, ms) => sum + ms, 0);
    const others = cpuOfMachineMs() - machineBefore - cpuMs - (own() - ownBefore);
    const byName = new Map(watched.map(({ name }, at) => [name, each[at] ?? 0]));
    const cpuMsByThread = new Map(
      [...threads()].map(([name, now]) => [
        name,
        new Map([...now].map(([thread, ms]) => [thread, ms - (threadsBefore.get(name)?.get(thread) ?? 0)])),
      ]),
    );
    const othersCores = Math.max(0, others / elapsedMs);
    return {
      value,
      cost: { seconds: elapsedMs / 1_000, cpuMs, cpuMsByName: byName, cpuMsByThread, peakMb, othersCores },
    };
  } finally {
    clearInterval(watch);
  }
}

/** Measures a child until it exits. Its exact CPU is known afterwards. */
export async function costOfChild<T>(pid: number, known: readonly number[], run: () => Promise<T>) {
  const before = cpuOfEndedMs();
  // The CPU of a living child is in its own stat line; once ended, in the parent's.
  const { value, cost } = await costOf([{ name: 'child', pid }], known, run);
  return { value, cost: { ...cost, cpuMs: cpuOfEndedMs() - before } };
}

/** Returns the machine's load average. */
export const loadNow = (): string => readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '?';
