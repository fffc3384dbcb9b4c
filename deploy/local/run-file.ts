import { rmSync } from 'node:fs';
import { asObject, readJson, writeJson } from './json-file.ts';
import { belongsTo, endProcesses, isAlive, startedAt } from './processes.ts';

/** A process of a stack, as stored on disk. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** Identifies the process together with the pid, which may be reused. */
  readonly startTicks: string;
}

/** Stores the running processes, for `npm run memory` and for the start after a kill -9. */
export function writeRunFile(file: string, url: string, processes: ReadonlyMap<string, number>): void {
  const running = [['supervisor', process.pid] as const, ...processes]
    .filter(([, pid]) => pid !== 0)
    .map(([name, pid]) => ({ name, pid, startTicks: startedAt(pid) ?? '' }));
  writeJson(file, { url, processes: running });
}

/** Returns the processes of a run file that are still running. */
export function runningProcesses(file: string): RunningProcess[] {
  const { processes } = readJson(file);
  if (!Array.isArray(processes)) return [];
  return processes.flatMap((entry: unknown) => {
    const { name, pid, startTicks } = asObject(entry);
    if (typeof name !== 'string' || typeof pid !== 'number' || typeof startTicks !== 'string') return [];
    return isAlive(pid) && startedAt(pid) === startTicks ? [{ name, pid, startTicks }] : [];
  });
}

/** Ends processes that a killed stack left running on a data folder. */
export async function endLeftovers(file: string, dataDir: string): Promise<string[]> {
  const leftovers = runningProcesses(file).filter(({ pid }) => pid !== process.pid && belongsTo(pid, dataDir));
  // SIGINT is the fast shutdown of PostgreSQL, and ends the others too.
  await endProcesses(
    leftovers.map(({ pid }) => pid),
    'SIGINT',
    8_000,
  );
  rmSync(file, { force: true });
  return leftovers.map(({ name }) => name);
}
