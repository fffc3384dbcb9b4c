import type { AlertCondition, AlertInput } from '@tidemark/alert-rules';
import { ExpressionError } from '@tidemark/expressions';
import type { AlertInputs } from './alert-inputs.ts';

/** A compiled rule. */
export interface EvaluatedRule {
  readonly condition: AlertCondition;
  readonly isInitial: boolean;
}

/** A rule that matches an entry, by their places in the lists. */
export interface FoundMatch {
  readonly rule: number;
  readonly entry: number;
}

/** What the rules find in some entries. */
export interface Evaluation {
  readonly matches: readonly FoundMatch[];
  /** Entries for which a rule could not be evaluated, by rule, and the first reason. */
  readonly failures: readonly { readonly entries: number; readonly message: string }[];
}

/** A rule matches a change that makes its condition true: it holds for the change, and did not hold for the page before. */
export function evaluateRules(rules: readonly EvaluatedRule[], entries: readonly AlertInputs[]): Evaluation {
  const matches: FoundMatch[] = [];
  const failures = rules.map(({ condition, isInitial }, rule) => {
    let [failed, message] = [0, ''];
    for (const [entry, { now, before, beforeFound }] of entries.entries()) {
      const held = holds(condition, now);
      if (held.message !== undefined) {
        failed += 1;
        message ||= held.message;
      }
      const earlier = isInitial ? beforeFound : before;
      if (held.isTrue && !(earlier !== undefined && holds(condition, earlier).isTrue)) matches.push({ rule, entry });
    }
    return { entries: failed, message };
  });
  return { matches, failures };
}

/** A condition that can not be evaluated, as where a page has no price, does not hold. */
function holds(condition: AlertCondition, input: AlertInput): { readonly isTrue: boolean; readonly message?: string } {
  try {
    return { isTrue: condition.holds(input) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { isTrue: false, message: error.message };
  }
}
