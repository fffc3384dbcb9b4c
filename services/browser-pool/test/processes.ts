import { readdirSync, readFileSync } from 'node:fs';
import { treeOf } from '../src/chromium/process-tree.ts';

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

/** Returns the browser processes with profiles in the folder, without their child processes, which have a type. */
export const browsersIn = (profileDir: string): number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const command = commandLine(pid);
      return command.includes(`--user-data-dir=${profileDir}/`) && !command.includes('--type=');
    });

/** Returns the renderer processes of these browsers. */
export const renderersIn = (profileDir: string): number[] =>
  browsersIn(profileDir)
    .flatMap(treeOf)
    .filter((pid) => commandLine(pid).includes('--type=renderer'));
