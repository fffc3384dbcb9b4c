import { AppError } from '@tidemark/errors';
import type { z } from 'zod';
import { expectationOf } from './expectation.ts';
import { describeIssue, fieldOf, type Where } from './faults.ts';

/** Parts of a path that an error names. */
const MAX_NAMED_DEPTH = 8;

/** Faults that one error lists. */
const MAX_FAULTS = 20;

/** A part of a body, and where it is. */
interface BodyPart {
  readonly value: unknown;
  readonly path: (string | number)[];
}

const containsNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0');

/** Returns the path of the first text or key that contains NUL. Iterative, because a body may be nested deeply. */
function pathOfNul(value: unknown): (string | number)[] | undefined {
  const waiting: BodyPart[] = [{ value, path: [] }];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (containsNul(part.value)) return part.path;
    if (typeof part.value !== 'object' || part.value === null) continue;
    if (Object.keys(part.value).some(containsNul)) return part.path;
    for (const member of membersToCheck(part.value, part.path)) waiting.push(member);
  }
  return undefined;
}

/** Returns the members that contain NUL, or can contain one inside. */
const membersToCheck = (part: object, path: BodyPart['path']): BodyPart[] =>
  Object.entries(part)
    .filter(([, value]) => containsNul(value) || typeof value === 'object')
    .map(([key, value]) => ({
      value,
      path: [...path.slice(0, MAX_NAMED_DEPTH), Array.isArray(part) ? Number(key) : key],
    }));

/** PostgreSQL stores no NUL, and no field has a use for one. @throws AppError validation (422) naming the field */
function refuseNul(value: unknown, where: Where): void {
  const path = pathOfNul(value);
  if (path === undefined) return;
  const msg = 'contains a NUL character (U+0000); expected text without it';
  throw new AppError('validation', `${fieldOf(path, where)}: ${msg}`, {
    detail: [{ loc: [where, ...path], msg, type: 'custom' }],
  });
}

/**
 * Parses one part of a request with its schema.
 * @throws AppError validation (422) naming every invalid field, what was expected and what was sent
 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, where: Where): z.output<S> {
  const parsed = schema.safeParse(value, { error: expectationOf });
  if (parsed.success) {
    // An id in a path that contains NUL does not exist: 404.
    if (where !== 'path') refuseNul(value, where);
    return parsed.data;
  }
  const { issues } = parsed.error;
  const described = issues.slice(0, MAX_FAULTS).map((issue) => describeIssue(issue, { root: value, where }));
  const more = issues.length > MAX_FAULTS ? [`and ${issues.length - MAX_FAULTS} more`] : [];
  throw new AppError('validation', [...described.flatMap(({ messages }) => messages), ...more].join('; '), {
    detail: described.flatMap(({ detail }) => detail),
  });
}
