import { type Fragment, identifier, param, sql } from './fragment.ts';

/** The mark that distinguishes a claim from a later claim of the same row. `Name`: the value that its statements need. */
export class Fence<Name extends string> {
  readonly column: Fragment | undefined;
  /** Equals the column and the fencing token: the assignment of a claim, and the condition of what follows. */
  readonly isOwner: Fragment<Name> | undefined;

  constructor(column: Fragment | undefined, isOwner: Fragment<Name> | undefined) {
    this.column = column;
    this.isOwner = isOwner;
  }
}

/** Stores the fencing token of a claim in a column: every result is stored under it, so that a claim whose lease was lost changes nothing. */
export function fencedBy(column: string): Fence<'owner'> {
  const name = identifier(column);
  return new Fence(name, sql`${name} = ${param('owner')}`);
}

/** Claims without a token: two processes may do the work at once. @param _whySafe why that is safe; part of the description of the queue */
export const unfenced = (_whySafe: string): Fence<never> => new Fence<never>(undefined, undefined);
