import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/** Returns a well-formed id. `what` names the resource in the error. @throws AppError not_found */
export function checkedId(prefix: IdPrefix, id: string, what: string): string {
  if (!isId(prefix, id)) throw new AppError('not_found', `${what} not found`);
  return id;
}
