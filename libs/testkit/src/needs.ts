import { describe } from '@jest/globals';
import { type SkipKind, skipTitle } from './skip-kinds.ts';

/**
 * Declares tests that need something of the machine. Where it is missing they are declared too, and skipped under the name of the kind, which
 * the run counts. Any other skip fails the run (`tools/testing/report.ts`).
 * @param isPresent whether the machine has it
 * @param tests declares the tests; called in both cases, so that each machine counts the same tests
 */
export function needs(kind: SkipKind, isPresent: boolean, tests: () => void): void {
  if (isPresent) tests();
  else describe.skip(skipTitle(kind), tests);
}
