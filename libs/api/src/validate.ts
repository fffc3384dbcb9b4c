import { AppError, type FieldFault } from '@tidemark/errors';
import type { z } from 'zod';

type Where = 'path' | 'query' | 'body';

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

/** PostgreSQL stores no NUL, and no parameter has a use for one. @throws AppError validation (422) naming the parameter */
function refuseNul(query: unknown): void {
  const parameters = typeof query === 'object' && query !== null ? Object.entries(query) : [];
  const named = parameters.find(([, value]) => [value].flat().some((text) => String(text).includes('\0')));
  if (named === undefined) return;
  const [name] = named;
  const msg = 'contains a NUL character (%00); expected text without it';
  throw new AppError('validation', `${name}: ${msg}`, { detail: [{ loc: ['query', name], msg, type: 'custom' }] });
}

/**
 * Parses one part of a request with its schema.
 * @throws AppError validation (422) naming every invalid field
 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, where: Where): z.output<S> {
  if (where === 'query') refuseNul(value);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  throw new AppError('validation', issues.map((issue) => describeIssue(issue, where)).join('; '), {
    detail: issues.flatMap((issue) => faultsOf(issue, where)),
  });
}
