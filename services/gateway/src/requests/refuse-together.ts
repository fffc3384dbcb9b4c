import { AppError } from '@tidemark/errors';

/** @throws AppError validation (400) if two query parameters that exclude each other are both given */
export function refuseTogether(query: Readonly<Record<string, unknown>>, one: string, other: string): void {
  if (query[one] === undefined || query[other] === undefined) return;
  const msg = `expected either ${one} or ${other}`;
  throw new AppError('validation', `${one}: ${msg}`, {
    httpStatus: 400,
    detail: [{ loc: ['query', one], msg, type: 'exclusive' }],
  });
}
