import { compileCondition } from '@tidemark/alert-rules';
import { serveTasks } from '@tidemark/worker-threads';
import type { AlertInputs } from './alert-inputs.ts';
import { type Evaluation, evaluateRules } from './evaluate-rules.ts';

/** Entries to evaluate. Rules were compiled before: none has a fault. */
export interface AlertTask {
  readonly rules: readonly { readonly when: string; readonly isInitial: boolean }[];
  readonly entries: readonly AlertInputs[];
}

serveTasks<AlertTask, Evaluation>(
  ({ rules, entries }) =>
    () =>
      evaluateRules(
        rules.map(({ when, isInitial }) => ({ condition: compileCondition(when, 'any'), isInitial })),
        entries,
      ),
);
