import { AppError } from '@tidemark/errors';

/** The number a cursor of ours stands for; 0 for none. @throws AppError validation where it is none of ours */
export function checkedNumber(cursor: string): number {
  if (cursor === '') return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new AppError('validation', 'cursor: expected the `cursor` of an earlier answer', {
    detail: [{ loc: ['query', 'cursor'], msg: 'not a cursor of this list', type: 'invalid' }],
  });
}
