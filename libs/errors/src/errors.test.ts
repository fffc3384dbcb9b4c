import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.ts';
import { CODES, isErrorCode } from './codes.ts';
import { codeOf, messageOf, nameOf } from './read-error.ts';

describe('CODES', () => {
  it.each(Object.entries(CODES))('maps %s to an HTTP and a gRPC status of a failure', (_, { http, grpc }) => {
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
    expect(grpc).toBeGreaterThanOrEqual(1);
    expect(grpc).toBeLessThanOrEqual(16);
  });

  it('contains its own codes and no names inherited from Object', () => {
    expect(Object.keys(CODES).every(isErrorCode)).toBe(true);
    expect(['', 'toString', 'constructor', '__proto__', 'NOT_FOUND'].filter(isErrorCode)).toEqual([]);
  });

  it('contains every code of the specification with its status', () => {
    const statuses = Object.fromEntries(Object.entries(CODES).map(([code, { http }]) => [code, http]));
    expect(statuses).toMatchObject({
      validation: 422,
      unauthorized: 401,
      credits_exhausted: 402,
      scopes: 403,
      not_found: 404,
      conflict: 409,
      too_large: 413,
      rate_limited: 429,
      internal: 500,
      unavailable: 503,
    });
  });
});

describe('AppError', () => {
  it('has the HTTP status of its code unless another is given', () => {
    expect(new AppError('validation', 'x').httpStatus).toBe(422);
    expect(new AppError('validation', 'x', { httpStatus: 400 }).httpStatus).toBe(400);
  });

  it('keeps its cause', () => {
    const cause = new Error('underneath');
    expect(new AppError('internal', 'x', { cause }).cause).toBe(cause);
    expect('cause' in new AppError('internal', 'x')).toBe(false);
  });
});

describe('codeOf, nameOf and messageOf', () => {
  it('read an error of another realm', () => {
    const foreign: unknown = runInNewContext("Object.assign(new TypeError('gone'), { code: 'ENOENT' })");
    expect([codeOf(foreign), nameOf(foreign), messageOf(foreign)]).toEqual(['ENOENT', 'TypeError', 'gone']);
  });

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, '7'],
    [{ code: 7, message: 8 }, '[object Object]'],
  ])('read the value %j, which is not an error', (caught, message) => {
    expect([codeOf(caught), nameOf(caught), messageOf(caught)]).toEqual(['', '', message]);
  });
});
