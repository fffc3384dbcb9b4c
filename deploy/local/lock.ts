import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { asObject } from './json-file.ts';
import { Problem } from './problem.ts';
import { isAlive, startedAt } from './processes.ts';

/** Acquires the lock of a data folder, so that one stack runs on it. @returns the function that releases it */
export function takeLock(file: string): () => void {
  const mine = `${process.pid} ${startedAt(process.pid)}\n`;
  const holder = write(file, mine) ? undefined : read(file);
  if (holder !== undefined) {
    if (isHeld(holder)) throw new Problem(alreadyRunning(holder, file));
    rmSync(file, { force: true }); // its process is gone: it was killed and could not tidy up
    if (!write(file, mine)) throw new Problem(alreadyRunning(read(file), file));
  }
  return () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
}

/** Returns the holder of a lock file if its process exists. */
export function lockHolder(file: string): number | undefined {
  const holder = read(file);
  return isHeld(holder) ? Number(holder.split(' ')[0]) : undefined;
}

const alreadyRunning = (holder: string, file: string): string =>
  `Tidemark already runs in this folder (process ${holder.split(' ')[0]}, ${file}); stop that one with Ctrl-C, or use it: its address and key are in .tidemark/credentials.json.`;

function isHeld(holder: string): boolean {
  const [pid, ticks] = holder.trim().split(' ');
  return isAlive(Number(pid)) && startedAt(Number(pid)) === ticks;
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (asObject(error)['code'] === 'EEXIST') return false;
    throw error;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
