import { readFileSync } from 'node:fs';
import { allProcesses, parentOf } from './processes.ts';

/** Memory of one process, MB of PSS: a page shared by n processes counts as 1/n in each. 0 if it has ended or may not be read. */
export function pssMb(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Returns the living descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const children = Map.groupBy(allProcesses(), (each) => parentOf(each) ?? 0);
  const found = [...(children.get(pid) ?? [])];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}
