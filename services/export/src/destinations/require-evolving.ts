import { DestinationError } from './driver.ts';

/** Requires that a column may be added to a table that exists. @throws DestinationError */
export function requireEvolving(freeze: boolean, column: string, table: string): void {
  if (!freeze) return;
  throw new DestinationError(
    'invalid',
    `the table ${table} has no column ${column}, and the destination is frozen. Add the column, or set freeze to false`,
  );
}
