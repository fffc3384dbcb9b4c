import { quoted } from '@tidemark/api';
import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/** Returns the error for an id of a path that is not well-formed: such a resource does not exist. */
export const noSuchId = (prefix: string, id: string, what: string): AppError =>
  new AppError('not_found', `${what} not found: expected an id such as ${prefix}_01j…, got ${quoted(id)}`);

/** Returns a well-formed id. `what` names the resource in the error. @throws AppError not_found */
export function checkedId(prefix: IdPrefix, id: string, what: string): string {
  if (!isId(prefix, id)) throw noSuchId(prefix, id, what);
  return id;
}
