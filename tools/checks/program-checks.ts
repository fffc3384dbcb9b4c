import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.ts';
import type { Check } from './check.ts';

/** A check that another program makes; `says` reads what it looked at out of what it printed. */
function programCheck(
  root: string,
  name: string,
  command: readonly [string, ...string[]],
  says: (output: string) => string,
): Check {
  const [program, ...args] = command;
  return {
    name,
    async run() {
      const { ok, output } = await runCommand([join(root, 'node_modules/.bin', program), ...args], root);
      // Biome closes with a banner that says no more than the exit code does.
      const told = output.replace(/\nChecked \d+ files[\s\S]*$/, '').trim();
      return { says: says(output), problems: ok ? [] : [told || `${program} failed without a word`] };
    },
  };
}

/** Found rather than listed, so that a package left out of tsconfig.json is checked all the same. */
const products = (root: string): string[] => globSync('{libs,services}/*/tsconfig.json', { cwd: root }).sort();

/** The checks that are other programs' work. */
export const programChecks = (root: string): readonly Check[] => [
  programCheck(
    root,
    'style',
    ['biome', 'ci', '--colors=off', '--reporter=concise', '--max-diagnostics=200'],
    (output) => /Checked (\d+ files)/.exec(output)?.[1] ?? 'biome',
  ),
  programCheck(root, 'types', ['tsc', '-b', ...products(root), '--pretty', 'false'], () => 'libs and services'),
  programCheck(
    root,
    'types',
    ['tsc', '-p', 'tsconfig.tools.json', '--pretty', 'false'],
    () => 'tests, tools and deploy',
  ),
  programCheck(root, 'proto lint', ['buf', 'lint'], () => 'buf lint'),
  programCheck(root, 'proto format', ['buf', 'format', '--diff', '--exit-code'], () => 'buf format'),
];
