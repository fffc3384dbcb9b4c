import { readFileSync } from 'node:fs';
import { allProcesses, areGone, belongsTo, commandLine, endProcesses } from '../../deploy/local/processes.ts';

// What dies with its parent does so at once; this is for a machine under load.
const OWN_ACCORD_MS = 3_000;
const END_WITHIN_MS = 3_000;

/** Ends whatever still runs for a folder, and says what it was: a run that leaves processes behind has failed. */
export async function endLeftBehind(dir: string): Promise<string[]> {
  const found = processesOf(dir);
  if (await areGone(found, OWN_ACCORD_MS)) return [];
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
    return false; // someone else's, or gone
  }
}
