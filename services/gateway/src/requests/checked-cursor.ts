import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/**
 * Returns the cursor of a list: the id of the last item, or empty for the first page.
 * @throws AppError validation (422) if it is neither
 */
export function checkedCursor(prefix: IdPrefix, cursor: string): string {
  if (cursor === '' || isId(prefix, cursor)) return cursor;
  const msg = 'expected the `cursor` of an earlier response of this list';
  throw new AppError('validation', `cursor: ${msg}`, {
    detail: [{ loc: ['query', 'cursor'], msg, type: 'invalid_cursor' }],
  });
}
