import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.ts';
import type { Check } from './check.ts';

/**
 * Settings of Go's garbage collector (runtime package), in which tsc is written: it collects near this much memory only. That is a quarter less
 * CPU time, which the tests need meanwhile.
 */
const FEW_COLLECTIONS = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

/** By default tsc checks a project with four threads, each of which computes the types it needs again: twice the CPU time. */
const ONE_CHECKER = ['--checkers', '1'] as const;

/** Returns a check that runs another program. `summarize` derives the summary from the program's output. */
function programCheck(
  root: string,
  name: string,
  command: readonly [string, ...string[]],
  summarize: (output: string) => string,
): Check {
  const [program, ...args] = command;
  return {
    name,
    async run() {
      const { ok, output } = await runCommand(
        [join(root, 'node_modules/.bin', program), ...args],
        root,
        FEW_COLLECTIONS,
      );
      // Biome's last lines repeat what the exit code states.
      const report = output.replace(/\nChecked \d+ files[\s\S]*$/, '').trim();
      return { summary: summarize(output), problems: ok ? [] : [report || `${program} failed without output`] };
    },
  };
}

/** Found by a glob, so that a package that is missing in tsconfig.json is checked too. */
const products = (root: string): string[] => globSync('{libs,packages,services}/*/tsconfig.json', { cwd: root }).sort();

/** The checks that run other programs. */
export const programChecks = (root: string): readonly Check[] => [
  programCheck(
    root,
    'style',
    ['biome', 'ci', '--colors=off', '--reporter=concise', '--max-diagnostics=200'],
    (output) => /Checked (\d+ files)/.exec(output)?.[1] ?? 'biome',
  ),
  programCheck(
    root,
    'types',
    ['tsc', '-b', ...products(root), ...ONE_CHECKER, '--pretty', 'false'],
    () => 'libs, packages and services',
  ),
  programCheck(
    root,
    'types',
    ['tsc', '-p', 'tsconfig.tools.json', ...ONE_CHECKER, '--pretty', 'false'],
    () => 'tests, tools and deploy',
  ),
  programCheck(root, 'proto lint', ['buf', 'lint'], () => 'buf lint'),
  programCheck(root, 'proto format', ['buf', 'format', '--diff', '--exit-code'], () => 'buf format'),
];
