import { compileCondition } from '@tidemark/alert-rules';
import { ExpressionError } from '@tidemark/expressions';
import type { AlertRule } from '@tidemark/project-config';
import type { Entry } from '../records/entries/entry.ts';
import { alertInputsOf } from './alert-inputs.ts';
import type { AlertPool } from './alert-pool.ts';

/** The part of a rule that decides what it matches. */
export type RuleCondition = Pick<AlertRule, 'id' | 'when' | 'initial'>;

/** A rule that matches an entry. */
export interface RuleMatch {
  readonly ruleId: string;
  readonly entry: Entry;
}

/** Evaluates rules over batches of entries. A rule that exceeds its time is left out from then on. */
export class RuleSet {
  readonly #pool: Pick<AlertPool, 'evaluate'>;
  #rules: readonly RuleCondition[];
  /** Why a rule is not evaluated, or could not be for some entries. */
  readonly #faults = new Map<string, { entries: number; message: string }>();

  /** A rule that does not compile, as where the release before accepted it, is left out. */
  constructor(pool: Pick<AlertPool, 'evaluate'>, rules: readonly RuleCondition[]) {
    this.#pool = pool;
    this.#rules = rules.filter(({ id, when }) => {
      const fault = faultOf(when);
      if (fault !== undefined) this.#addFault(id, 0, fault);
      return fault === undefined;
    });
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Entries for which rules could not be evaluated, by rule, with the first reason. */
  get faults(): ReadonlyMap<string, { readonly entries: number; readonly message: string }> {
    return this.#faults;
  }

  /** Returns the matches in the order of the entries. At most 1,000 entries. */
  async matches(entries: readonly Entry[]): Promise<RuleMatch[]> {
    const inputs = entries.map(alertInputsOf);
    const together = await this.#evaluate(this.#rules, entries, inputs);
    if (together !== undefined) return together;
    // One of them exceeds the limits: each is evaluated alone.
    const found: RuleMatch[] = [];
    for (const rule of this.#rules) {
      const alone = await this.#evaluate([rule], entries, inputs);
      if (alone === undefined) this.#leaveOut(rule, entries.length);
      else found.push(...alone);
    }
    return found;
  }

  async #evaluate(
    rules: readonly RuleCondition[],
    entries: readonly Entry[],
    inputs: readonly ReturnType<typeof alertInputsOf>[],
  ): Promise<RuleMatch[] | undefined> {
    if (rules.length === 0 || entries.length === 0) return [];
    const task = { rules: rules.map(({ when, initial }) => ({ when, isInitial: initial })), entries: inputs };
    const result = await this.#pool.evaluate(task);
    if (result === undefined) return undefined;
    for (const [index, { entries: failed, message }] of result.failures.entries())
      if (failed > 0) this.#addFault(rules[index]?.id ?? '', failed, message);
    return result.matches
      .toSorted((a, b) => a.entry - b.entry || a.rule - b.rule)
      .flatMap(({ rule, entry }) => {
        const [of, found] = [rules[rule], entries[entry]];
        return of === undefined || found === undefined ? [] : [{ ruleId: of.id, entry: found }];
      });
  }

  #leaveOut(rule: RuleCondition, entries: number): void {
    this.#rules = this.#rules.filter((each) => each !== rule);
    this.#addFault(rule.id, entries, 'the condition took longer than a second for its entries; simplify it');
  }

  #addFault(id: string, entries: number, message: string): void {
    const known = this.#faults.get(id);
    this.#faults.set(id, { entries: (known?.entries ?? 0) + entries, message: known?.message ?? message });
  }
}

function faultOf(when: string): string | undefined {
  try {
    compileCondition(when, 'any');
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
}
