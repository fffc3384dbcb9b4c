import { readdirSync, readFileSync } from 'node:fs';

/** Returns the process and its current descendants. */
export function treeOf(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(entry);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const tree = [rootPid];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function parentOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The program name may contain spaces and brackets; later fields do not.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return parent === undefined ? undefined : Number(parent);
}

/** Returns the memory of a process tree in bytes, shared pages counted once (PSS). 0 if the kernel does not report it. */
export function memoryOf(rootPid: number): number {
  return treeOf(rootPid).reduce((sum, pid) => sum + memoryOfOne(pid), 0);
}

function memoryOfOne(pid: number): number {
  const pss = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  if (pss !== undefined) return Number(pss) * 1024;
  // The maps of a sandboxed renderer are not readable; its private memory is an approximation.
  const [, resident = '0', shared = '0'] = read(`/proc/${pid}/statm`).split(' ');
  return (Number(resident) - Number(shared)) * 4096;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
