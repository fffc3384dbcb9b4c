import { makeProgress } from '../../deploy/local/progress.ts';
import type { Check, Finding } from './check.ts';
import { graphCheck } from './graph-check.ts';
import { lintChecks } from './lint-checks.ts';
import { programChecks } from './program-checks.ts';
import { protoBreaking } from './proto-breaking.ts';

/** Every check of the house, in the order they run. */
export const allChecks = (root: string): readonly Check[] => [
  ...programChecks(root).filter(({ name }) => !name.startsWith('proto')),
  ...lintChecks(root),
  graphCheck(root),
  ...programChecks(root).filter(({ name }) => name.startsWith('proto')),
  protoBreaking(root),
];

/** Runs checks one after another, a line each, and answers those that found something. */
export async function runChecks(
  checks: readonly Check[],
  write: (line: string) => void,
): Promise<readonly (Finding & Pick<Check, 'name'>)[]> {
  const progress = makeProgress(write);
  const failed: (Finding & Pick<Check, 'name'>)[] = [];
  for (const { name, run } of checks) {
    const finding = await progress.step(name, run, ({ says, problems }) =>
      problems.length === 0 ? says : `FAILED  ${says}`,
    );
    if (finding.problems.length > 0) failed.push({ ...finding, name });
  }
  return failed;
}

/** Every problem found, check by check. */
export const problemText = (failed: Awaited<ReturnType<typeof runChecks>>): string =>
  failed.map(({ name, says, problems }) => `\n${name} (${says}):\n${problems.join('\n')}`).join('\n');
