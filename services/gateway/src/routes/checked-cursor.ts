import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/**
 * A list's cursor: the id of the last thing shown, or empty for the first page. What is neither is refused before it reaches a query.
 * @throws AppError validation (422)
 */
export function checkedCursor(prefix: IdPrefix, cursor: string): string {
  if (cursor === '' || isId(prefix, cursor)) return cursor;
  const msg = 'expected the `cursor` of an earlier answer of this list';
  throw new AppError('validation', `cursor: ${msg}`, {
    detail: [{ loc: ['query', 'cursor'], msg, type: 'invalid_cursor' }],
  });
}
