import { RPC_CALLERS } from '@tidemark/contracts';
import { makeProgress } from '../../deploy/local/progress.ts';
import { languageCheck } from '../language/language-check.ts';
import type { Check, Finding } from './check.ts';
import { emptyValueCheck } from './empty-value-check.ts';
import { graphCheck } from './graph-check.ts';
import { lintChecks } from './lint-checks.ts';
import { migrationLint } from './migration-lint.ts';
import { programChecks } from './program-checks.ts';
import { protoBreaking } from './proto-breaking.ts';
import { readmeCheck } from './readme-check.ts';
import { wiringCheck } from './wiring-check.ts';

/** Returns every check, in the order in which they run. */
export const allChecks = (root: string): readonly Check[] => [
  ...programChecks(root).filter(({ name }) => !name.startsWith('proto')),
  ...lintChecks(root),
  emptyValueCheck(root),
  graphCheck(root, RPC_CALLERS),
  wiringCheck(root),
  readmeCheck(root),
  languageCheck(root),
  ...programChecks(root).filter(({ name }) => name.startsWith('proto')),
  protoBreaking(root),
  migrationLint(root),
];

/** Runs checks one after another and writes a line for each. Returns those that found problems. */
export async function runChecks(
  checks: readonly Check[],
  write: (line: string) => void,
): Promise<readonly (Finding & Pick<Check, 'name'>)[]> {
  const progress = makeProgress(write);
  const failed: (Finding & Pick<Check, 'name'>)[] = [];
  for (const { name, run } of checks) {
    const finding = await progress.step(name, run, ({ summary, problems }) =>
      problems.length === 0 ? summary : `FAILED  ${summary}`,
    );
    if (finding.problems.length > 0) failed.push({ ...finding, name });
  }
  return failed;
}

/** Formats the problems of the failed checks. */
export const problemText = (failed: Awaited<ReturnType<typeof runChecks>>): string =>
  failed.map(({ name, summary, problems }) => `\n${name} (${summary}):\n${problems.join('\n')}`).join('\n');
