import { type Params, paramsOf, type RawBuilder, sql } from '@tidemark/sql';

/** The mark that distinguishes a claim from a later claim of the same row. `Owner`: the value that its statements need. */
export class Fence<Owner extends object> {
  readonly column: RawBuilder<unknown> | undefined;
  /** Equals the column and the fencing token: the assignment of a claim, and the condition of what follows. */
  readonly isOwner: RawBuilder<unknown> | undefined;
  /** Never set; carries the type. */
  readonly owner?: Owner;

  constructor(column: RawBuilder<unknown> | undefined, isOwner: RawBuilder<unknown> | undefined) {
    this.column = column;
    this.isOwner = isOwner;
  }
}

/** Stores the fencing token of a claim in a column: every result is stored under it, so that a claim whose lease was lost changes nothing. */
export function fencedBy(column: string): Fence<{ readonly owner: string }> {
  const name = sql.ref(column);
  const { owner }: Params<{ readonly owner: string }> = paramsOf();
  return new Fence(name, sql`${name} = ${owner}`);
}

/** Claims without a token: two processes may do the work at once. @param _whySafe why that is safe; part of the description of the queue */
export const unfenced = (_whySafe: string): Fence<object> => new Fence<object>(undefined, undefined);
