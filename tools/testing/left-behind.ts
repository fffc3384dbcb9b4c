import { readFileSync } from 'node:fs';
import { allProcesses, areGone, belongsTo, commandLine, endProcesses } from '../../deploy/local/processes.ts';

// Processes that end with their parent do so at once; this is for a machine under load.
const ENDED_WITHIN_MS = 3_000;
const END_WITHIN_MS = 3_000;

/** Ends every process that still uses a folder, and returns their command lines: a run that leaves processes behind has failed. */
export async function endLeftBehind(dir: string): Promise<string[]> {
  const found = processesOf(dir);
  if (await areGone(found, ENDED_WITHIN_MS)) return [];
  const left = processesOf(dir);
  const names = left.map((pid) => `${pid} ${commandLine(pid).join(' ').trim().slice(0, 120)}`);
  await endProcesses(left, 'SIGTERM', END_WITHIN_MS);
  return names;
}

const processesOf = (dir: string): number[] =>
  allProcesses().filter((pid) => pid !== process.pid && (belongsTo(pid, dir) || hasInEnvironment(pid, dir)));

function hasInEnvironment(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
  } catch {
    return false; // of another user, or ended
  }
}
