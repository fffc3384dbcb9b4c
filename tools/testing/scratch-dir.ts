import { accessSync, constants, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory file system of Linux. */
const MEMORY = '/dev/shm';

/** Bytes that it must have free, and that the machine must have available: a whole run writes less than half as much. */
const ROOM = 4 * 2 ** 30;

/**
 * Makes the folder in which a run keeps its databases, queues and temporary files. It is in memory where there is room: a test database is
 * a copy of about a thousand files, which takes 0.03 s of CPU time there and up to 0.7 s on a disk with a journal.
 */
export const makeScratchDir = (): string => mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'tm-'));

/** A container has often 64 MB, or forbids to execute files there, as tests of packages do. */
function hasRoom(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize >= ROOM && availableBytes() >= ROOM && !isNoExec(dir);
  } catch {
    return false; // another system
  }
}

/** Memory that can be used without swapping (proc_meminfo(5)). */
function availableBytes(): number {
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  return Number(kib ?? 0) * 1024;
}

/** Whether a mount point is mounted with `noexec` (proc_pid_mounts(5)). */
function isNoExec(dir: string): boolean {
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, point]) => point === dir);
  return mount?.[3]?.split(',').includes('noexec') === true;
}
