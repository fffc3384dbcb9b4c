import { AppError } from '@tidemark/errors';

/** An invalid query: the position of the error and what was expected there. */
export function queryError(column: number, expected: string): AppError {
  const msg = `column ${column}: ${expected}`;
  return new AppError('validation', `the query can not be read: ${msg}`, {
    detail: [{ loc: ['query', 'q'], msg, type: 'query_refused' }],
  });
}
