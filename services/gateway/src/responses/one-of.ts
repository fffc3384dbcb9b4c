import { AppError } from '@tidemark/errors';

/** Narrows a string of another service to a closed set of values. @throws AppError internal if it is not one of them */
export function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new AppError('internal', `"${value}" is not one of ${known.join(', ')}`);
  return found;
}
