import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpuOfTreeMs } from '../shared/cpu.ts';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** Returns the CPU milliseconds of a process and its descendants, ended ones included: PostgreSQL starts and ends workers all the time. */
export function cpuWithEndedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name may hold spaces and parentheses; the fields start after its last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const endedMs = ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS_PER_SECOND;
  return cpuOfTreeMs(pid) + endedMs;
}
