import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';
}

/** Returns the start time of a process in clock ticks since boot. It identifies the process together with the pid, which may be reused. */
export const startedAt = (pid: number): string | undefined => statOf(pid)?.startTicks;

/** Returns the parent of a process. */
export const parentOf = (pid: number): number | undefined => statOf(pid)?.parent;

/** Returns every process id of the machine. */
export function allProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Returns whether a process belongs to a folder: its command line contains it, or its working directory is inside. */
export function belongsTo(pid: number, dir: string): boolean {
  const cwd = workingDirectory(pid);
  if (cwd === dir || cwd.startsWith(`${dir}/`)) return true;
  return commandLine(pid).some((word) => word.includes(`${dir}/`) || word.endsWith(dir));
}

/** Returns the command line of a process. */
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
    // The process has ended already.
  }
}

/** Waits until all given processes have ended. @returns false on timeout */
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
