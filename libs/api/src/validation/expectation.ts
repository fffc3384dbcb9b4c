import { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** Values listed in one message. */
const MAX_LISTED = 20;

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',

  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',

  null: 'null',
  undefined: 'no value',
  void: 'no value',
  never: 'no value',
  nonoptional: 'a value',

  date: 'a date',
  file: 'a file',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  json_string: 'JSON as text',

  datetime: 'a time in ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',

  time: 'a time of day, such as 12:00:00',
  duration: 'a duration in ISO 8601, such as PT1H',

  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'text in base64',
  base64url: 'text in base64url',
};

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item', map: 'entry' };

const number = (value: number | bigint): string => value.toLocaleString('en', { useGrouping: false });

/** Joins alternatives: `a, b or c`. */
export const either = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function listed(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_LISTED)
    .map((value) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value)));
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} or one of ${more} more` : either(shown);
}

const isWhole = (schema: unknown): boolean => schema instanceof z.ZodNumber && schema.isInt;

/** Returns both bounds of the schema of a number if it has two. */
function rangeOf({ schema }: Issue): string | undefined {
  if (!(schema instanceof z.ZodNumber)) return undefined;
  const { minValue: min, maxValue: max } = schema;
  if (min === null || max === null || min <= Number.MIN_SAFE_INTEGER || max >= Number.MAX_SAFE_INTEGER)
    return undefined;
  return `${isWhole(schema) ? 'a whole number' : 'a number'} from ${number(min)} to ${number(max)}`;
}

/** A wrong type of a number with two bounds states the bounds too. */
const typeOf = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string => {
  const expected = issue.expected === 'number' && isWhole(issue.schema) ? 'int' : issue.expected;
  return rangeOf(issue) ?? TYPES[expected] ?? `a value of the type ${expected}`;
};

interface Limit {
  readonly of: 'at least' | 'at most';
  readonly value: number | bigint;
}

function sizeOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>, limit: Limit): string {
  const unit = UNITS[issue.origin];
  if (unit === undefined) {
    const range = rangeOf(issue);
    if (range !== undefined) return range;
    const open = limit.of === 'at least' ? 'more than' : 'less than';
    return `a number that is ${issue.inclusive === false ? open : limit.of} ${number(limit.value)}`;
  }
  const of = issue.exact === true ? 'exactly' : limit.of;
  const plural = Number(limit.value) === 1 ? unit : unit.replace(/y$/, 'ie').concat('s');
  return `${of} ${number(limit.value)} ${plural}`;
}

function formatOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const part = [issue['prefix'], issue['suffix'], issue['includes']].find((text) => typeof text === 'string');
  if (issue.format === 'starts_with') return `text that starts with ${JSON.stringify(part)}`;
  if (issue.format === 'ends_with') return `text that ends with ${JSON.stringify(part)}`;
  if (issue.format === 'includes') return `text that contains ${JSON.stringify(part)}`;
  if (issue.format === 'regex') return `text that matches ${issue.pattern ?? 'the pattern of the field'}`;
  return FORMATS[issue.format] ?? `text in the format ${issue.format}`;
}

/** Flags of a query are validated as text. */
const isFlag = ({ expected }: Issue): boolean => expected === 'stringbool';

/**
 * Returns what a schema expected, as a sentence for people: `expected a number from 1 to 120`. Used as zod's error map, so that a
 * message which a schema states itself takes precedence. Empty for a union: its sentence is made of its branches.
 */
export function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeOf(issue)}`;
    case 'invalid_value':
      return isFlag(issue) ? 'expected true or false' : `expected ${listed(issue.values)}`;
    case 'too_small':
      return `expected ${sizeOf(issue, { of: 'at least', value: issue.minimum })}`;
    case 'too_big':
      return `expected ${sizeOf(issue, { of: 'at most', value: issue.maximum })}`;
    case 'invalid_format':
      return `expected ${formatOf(issue)}`;
    case 'not_multiple_of':
      return `expected a multiple of ${number(issue.divisor)}`;
    case 'unrecognized_keys':
      return 'unknown field';
    case 'invalid_union':
      if (issue.inclusive === false) return 'matches more than one of the accepted forms';
      return 'options' in issue && Array.isArray(issue.options) ? `expected ${listed(issue.options)}` : '';
    case 'invalid_key':
      return 'the name is not accepted';
    case 'invalid_element':
      return 'an item is not accepted';
    case 'custom':
      return 'is not accepted';
  }
}
