import { compileExpression, ExpressionError } from '@tidemark/expressions';
import type { AlertInput } from './alert-input.ts';
import { conditionVariables } from './variables.ts';

/** A compiled condition. It has no state. */
export interface AlertCondition {
  /** @throws ExpressionError if the condition can not be evaluated, as where it compares a missing value with a number */
  holds(input: AlertInput): boolean;
}

/**
 * Compiles the condition of a rule.
 * @throws ExpressionError for a syntax error, an unknown name, or an expression beyond the bounds, with the place of the fault
 */
export function compileCondition(when: string, fieldNames: readonly string[] | 'any'): AlertCondition {
  const expression = compileExpression(when, conditionVariables(fieldNames));
  return {
    holds: (input) => {
      const result = expression.evaluate({ ...input });
      if (typeof result !== 'boolean')
        throw new ExpressionError('the condition is not a bool; compare a value, for example words_added > 0');
      return result;
    },
  };
}
