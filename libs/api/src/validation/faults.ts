import type { FieldFault } from '@tidemark/errors';
import type { z } from 'zod';
import { either } from './expectation.ts';
import { describeSent, quoted, valueAt } from './sent-value.ts';

export type Where = 'path' | 'query' | 'body';

type Path = readonly PropertyKey[];

/** One invalid place of a request. */
interface Fault {
  readonly path: Path;
  /** What was expected, or what is wrong. */
  readonly text: string;
  readonly type: string;
  /** Whether the text alone is complete, without the value that was sent. */
  readonly isComplete?: boolean;
}

/** Characters of a name that an error message repeats. */
const MAX_NAME = 100;
/** Unknown fields that one error names. */
const MAX_UNKNOWN = 20;

const nameOf = (part: PropertyKey): string => {
  const text = String(part);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
};
const locOf = (path: Path): (string | number)[] => path.map((part) => (typeof part === 'number' ? part : nameOf(part)));

/** Returns the name of a field: `config.actions.0.selector`. */
export const fieldOf = (path: Path, where: Where): string => path.map(nameOf).join('.') || where;

const withoutExpected = (text: string): string => text.replace(/^expected /, '');

/** A branch that the value does not fit by its type or constant says nothing about the value's own faults. */
const isOfOtherKind = (branch: readonly z.core.$ZodIssue[]): boolean =>
  branch.some(
    (issue) =>
      issue.path.length === 0 &&
      (issue.code === 'invalid_type' ||
        issue.code === 'invalid_value' ||
        (issue.code === 'invalid_union' && issue.errors.length > 0 && issue.errors.every(isOfOtherKind))),
  );

function ofUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path): Fault[] {
  const fitting = issue.errors.filter((branch) => !isOfOtherKind(branch));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.flatMap((part) => toFaults(part, path));
  const texts = issue.errors.flatMap((branch) => branch.slice(0, 1).flatMap((part) => toFaults(part, path)));
  const accepted = [...new Set(texts.flatMap(({ text }) => withoutExpected(text).split(' or ')))];
  return [{ path, text: `expected ${either(accepted) || 'another value'}`, type: issue.code }];
}

/** Converts an issue to the places it concerns: a union to those of the branch that fits best. */
function toFaults(issue: z.core.$ZodIssue, above: Path): Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => ({
      path: [...path, key],
      text: `unknown field ${quoted(key)}`,
      type: 'unknown_field',
      isComplete: true,
    }));
  if (issue.code === 'invalid_union' && issue.message === '') return ofUnion(issue, path);
  if ((issue.code === 'invalid_key' || issue.code === 'invalid_element') && issue.issues.length > 0) {
    const inner = issue.issues.flatMap((part) => toFaults(part, []));
    const text = `${issue.message}: ${inner.map((fault) => fault.text).join('; ')}`;
    return [{ path, text, type: issue.code, isComplete: true }];
  }
  return [{ path, text: issue.message, type: issue.code }];
}

/** Adds what was sent: its size for a limit on the size, otherwise the value. */
function withSent({ path, text, isComplete }: Fault, root: unknown): string {
  if (isComplete === true) return text;
  const value = valueAt(root, path);
  const isExpectation = text.startsWith('expected ');
  if (value === undefined) return isExpectation && path.length > 0 ? `${text}, but the field is missing` : text;
  if (/^expected [a-z ]+ \d+ characters?$/.test(text) && typeof value === 'string')
    return `${text}, got ${value === '' ? 'an empty text' : value.length}`;
  const sent = describeSent(value, path);
  if (isExpectation) return `${text}, got ${sent}`;
  return typeof value === 'object' || text.includes(sent) ? text : `${text}; got ${sent}`;
}

/** Returns a sentence about the fields that a place does not have. */
function unknownFields(keys: readonly string[], path: Path, where: Where): string {
  const inside = path.length === 0 ? `the ${where}` : fieldOf(path, where);
  const more = keys.length - MAX_UNKNOWN;
  return `${inside} has no field ${keys.slice(0, MAX_UNKNOWN).map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What is wrong with a request: a sentence for the message, and the same by field for programs. */
export interface Described {
  readonly messages: readonly string[];
  readonly detail: readonly FieldFault[];
}

/** Describes one issue of zod for people. `root` is the value that was validated. */
export function describeIssue(issue: z.core.$ZodIssue, { root, where }: { root: unknown; where: Where }): Described {
  const faults = toFaults(issue, []).map((fault) => ({ ...fault, msg: withSent(fault, root) }));
  const detail = faults.map(({ path, msg, type }) => ({ loc: [where, ...locOf(path)], msg, type }));
  if (issue.code === 'unrecognized_keys') return { messages: [unknownFields(issue.keys, issue.path, where)], detail };
  return { messages: faults.map(({ path, msg }) => `${fieldOf(path, where)}: ${msg}`), detail };
}
