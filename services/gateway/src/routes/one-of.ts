import { AppError } from '@tidemark/errors';

/** One of a closed set of words. @throws AppError internal where it is none of them */
export function oneOf<T extends string>(known: readonly T[], said: string): T {
  const found = known.find((word) => word === said);
  if (found === undefined) throw new AppError('internal', `"${said}" is none of ${known.join(', ')}`);
  return found;
}
