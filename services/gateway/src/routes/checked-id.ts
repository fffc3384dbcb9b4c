import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/** An id that may be asked for. `what` is named where it is none. @throws AppError not_found */
export function checkedId(prefix: IdPrefix, id: string, what: string): string {
  if (!isId(prefix, id)) throw new AppError('not_found', `there is no such ${what}`);
  return id;
}
