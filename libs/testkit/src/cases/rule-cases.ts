/** Cases of one rule, with the document that states it. */
export interface RuleCases<Case> {
  readonly rule: string;
  /** Standard and section, or the name of the technique where no standard describes it. */
  readonly source: string;
  readonly cases: readonly Case[];
}

/** Returns all cases of a table, each with its rule first: rows for `it.each`. */
export const rowsOf = <Case>(table: readonly RuleCases<Case>[]): (readonly [rule: string, one: Case])[] =>
  table.flatMap(({ rule, source, cases }) => cases.map((one) => [`${rule} (${source})`, one] as const));

/** Returns all cases of a table without their rules. */
export const casesOf = <Case>(table: readonly RuleCases<Case>[]): Case[] => table.flatMap(({ cases }) => cases);
