import { AppError } from '@tidemark/errors';

/** A query that can't be asked, and where it goes wrong: what was expected there, for its writer. */
export function queryError(column: number, expected: string): AppError {
  const msg = `column ${column}: ${expected}`;
  return new AppError('validation', `the query can not be read: ${msg}`, {
    detail: [{ loc: ['query', 'q'], msg, type: 'query_refused' }],
  });
}
