import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a process is there and not a zombie. */
export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';
}

/** When a process started, in clock ticks since boot: with the pid it names one process and never a later one. */
export const startedAt = (pid: number): string | undefined => statOf(pid)?.startTicks;

/** The parent of a process. */
export const parentOf = (pid: number): number | undefined => statOf(pid)?.parent;

/** Every process id of the machine. */
export function allProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Whether a process was started for a folder: it names it in its command line or works inside it. */
export function belongsTo(pid: number, dir: string): boolean {
  const cwd = workingDirectory(pid);
  if (cwd === dir || cwd.startsWith(`${dir}/`)) return true;
  return commandLine(pid).some((word) => word.includes(`${dir}/`) || word.endsWith(dir));
}

/** The words a process was started with. */
export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Sends a signal to processes, waits, and kills those that are still running. */
export async function endProcesses(pids: readonly number[], signal: NodeJS.Signals, withinMs: number): Promise<void> {
  for (const pid of pids) signalIfThere(pid, signal);
  if (await areGone(pids, withinMs)) return;
  for (const pid of pids) signalIfThere(pid, 'SIGKILL');
  await areGone(pids, 2_000);
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, which is what the signal was for.
  }
}

/** Waits until all of some processes are gone; false where the time ran out first. */
export async function areGone(pids: readonly number[], withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (pids.some(isAlive)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function statOf(pid: number): { state: string; parent: number; startTicks: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may itself hold spaces and brackets: count from the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    const startTicks = fields[19];
    if (state === undefined || startTicks === undefined) return undefined;
    return { state, parent: Number(parent), startTicks };
  } catch {
    return undefined;
  }
}
