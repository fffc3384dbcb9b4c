import { AppError, type FieldFault } from '@tidemark/errors';
import type { z } from 'zod';

type Where = 'path' | 'query' | 'body';

/** Parts of a path that an error names. */
const MAX_NAMED_DEPTH = 8;

/** Returns a sentence that names the field and the problem. */
function describeIssue(issue: z.core.$ZodIssue, where: Where): string {
  const field = issue.path.map(String).join('.') || where;
  if (issue.code === 'unrecognized_keys') {
    const inside = issue.path.length === 0 ? `the ${where}` : field;
    return `${inside} has no field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  }
  return `${field}: ${issue.message}`;
}

function faultsOf(issue: z.core.$ZodIssue, where: Where): FieldFault[] {
  const at = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      loc: [where, ...at, key],
      msg: `unknown field "${key}"`,
      type: 'unknown_field',
    }));
  }
  return [{ loc: [where, ...at], msg: issue.message, type: issue.code }];
}

/** Returns the path of the first text or key that contains NUL. Iterative, because a body may be nested deeply. */
function pathOfNul(value: unknown): (string | number)[] | undefined {
  const waiting: { readonly value: unknown; readonly path: (string | number)[] }[] = [{ value, path: [] }];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { value: part, path } = one;
    if (typeof part === 'string' && part.includes('\0')) return path;
    if (typeof part !== 'object' || part === null) continue;
    for (const [key, inner] of Object.entries(part)) {
      const at = [...path.slice(0, MAX_NAMED_DEPTH), Array.isArray(part) ? Number(key) : key];
      if (key.includes('\0')) return path;
      if (typeof inner === 'string' ? inner.includes('\0') : typeof inner === 'object')
        waiting.push({ value: inner, path: at });
    }
  }
  return undefined;
}

/** PostgreSQL stores no NUL, and no field has a use for one. @throws AppError validation (422) naming the field */
function refuseNul(value: unknown, where: Where): void {
  const path = pathOfNul(value);
  if (path === undefined) return;
  const msg = 'contains a NUL character (U+0000); expected text without it';
  throw new AppError('validation', `${path.join('.') || where}: ${msg}`, {
    detail: [{ loc: [where, ...path], msg, type: 'custom' }],
  });
}

/**
 * Parses one part of a request with its schema.
 * @throws AppError validation (422) naming every invalid field
 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, where: Where): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    // An id in a path that contains NUL does not exist: 404.
    if (where !== 'path') refuseNul(value, where);
    return parsed.data;
  }
  const { issues } = parsed.error;
  throw new AppError('validation', issues.map((issue) => describeIssue(issue, where)).join('; '), {
    detail: issues.flatMap((issue) => faultsOf(issue, where)),
  });
}
