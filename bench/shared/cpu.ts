import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

interface Proc {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
}

function read(pid: number): Proc | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold spaces and parentheses; the fields start after its last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      parent: Number(fields[1]),
      cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
}

/** Returns the CPU milliseconds used by a process and its living descendants. */
export function cpuOfTreeMs(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(Number(name)))
    .filter((proc) => proc !== undefined);
  const tree = new Set([root]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const { pid, parent } of all) {
      if (tree.has(parent) && !tree.has(pid)) {
        tree.add(pid);
        grew = true;
      }
    }
  }
  return all.filter(({ pid }) => tree.has(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
