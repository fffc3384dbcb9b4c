import { AppError } from '@tidemark/errors';

/** Parses a numeric cursor; 0 if empty. @throws AppError validation if it is not a number */
export function checkedNumber(cursor: string): number {
  if (cursor === '') return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new AppError('validation', 'cursor: expected the `cursor` of an earlier response', {
    detail: [{ loc: ['query', 'cursor'], msg: 'not a cursor of this list', type: 'invalid' }],
  });
}
