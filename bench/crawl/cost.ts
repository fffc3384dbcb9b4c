import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { memoryOf, treeOf } from '../../services/browser-pool/src/chromium/process-tree.ts';

const MS_PER_TICK = 1_000 / Number(execFileSync('getconf', ['CLK_TCK']).toString());
const LOOK_EVERY_MS = 1_000;

/** A process whose cost counts, and everything it started. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

/** What something took. */
export interface Cost {
  readonly seconds: number;
  readonly cpuMs: number;
  readonly cpuMsByName: ReadonlyMap<string, number>;
  /** The most memory the processes took together, in MB of PSS. */
  readonly peakMb: number;
  /** Cores the machine spent on anything else meanwhile. */
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

/** CPU milliseconds of one process, and of its children that have ended. */
export const cpuOfOneMs = (pid: number): number => ticks(statOf(`/proc/${pid}/stat`).slice(11, 15));
const cpuOfTree = (root: number): number => treeOf(root).reduce((sum, pid) => sum + cpuOfOneMs(pid), 0);

/** CPU milliseconds of the children of this process that have ended. */
const cpuOfEndedMs = (): number => ticks(statOf('/proc/self/stat').slice(13, 15));

/** CPU milliseconds the machine has spent on anything since it started. */
function cpuOfMachineMs(): number {
  const [, user, nice, system, , , irq, softirq] =
    /^cpu .*/.exec(readFileSync('/proc/stat', 'utf8'))?.[0].split(/\s+/) ?? [];
  return ticks([user ?? '0', nice ?? '0', system ?? '0', irq ?? '0', softirq ?? '0']);
}

export const memoryMbOf = (watched: readonly Watched[]): number =>
  watched.reduce((sum, { pid }) => sum + memoryOf(pid), 0) / 1024 / 1024;

/** Runs something and says what it cost the watched processes; `known` are others of ours whose work is not the machine's noise. */
export async function costOf<T>(
  watched: readonly Watched[],
  known: readonly number[],
  run: () => Promise<T>,
): Promise<{ value: T; cost: Cost }> {
  const own = () => known.reduce((sum, pid) => sum + cpuOfOneMs(pid), cpuOfOneMs(process.pid));
  const cpus = () => watched.map(({ pid }) => cpuOfTree(pid));
  const [before, ownBefore, machineBefore] = [cpus(), own(), cpuOfMachineMs()];
  let peakMb = memoryMbOf(watched);
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, memoryMbOf(watched));
  }, LOOK_EVERY_MS);
  const startedAtMs = performance.now();
  try {
    const value = await run();
    const elapsedMs = performance.now() - startedAtMs;
    const each = cpus().map((now, at) => now - (before[at] ?? 0));
    const cpuMs = each.reduce((sum, ms) => sum + ms, 0);
    const others = cpuOfMachineMs() - machineBefore - cpuMs - (own() - ownBefore);
    const byName = new Map(watched.map(({ name }, at) => [name, each[at] ?? 0]));
    const othersCores = Math.max(0, others / elapsedMs);
    return { value, cost: { seconds: elapsedMs / 1_000, cpuMs, cpuMsByName: byName, peakMb, othersCores } };
  } finally {
    clearInterval(watch);
  }
}

/** The cost of a child that runs to its end: its CPU is known exactly once it has ended. */
export async function costOfChild<T>(pid: number, known: readonly number[], run: () => Promise<T>) {
  const before = cpuOfEndedMs();
  // While it lives its CPU stands in its own line; once it has ended, in ours.
  const { value, cost } = await costOf([{ name: 'child', pid }], known, run);
  return { value, cost: { ...cost, cpuMs: cpuOfEndedMs() - before } };
}

/** The machine's load now, for orientation beside a figure. */
export const loadNow = (): string => readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '?';
