import { FIELDS, type Field, fieldNamed } from './fields.ts';
import { queryError } from './query-error.ts';
import { type Part, type Term, tokenize } from './tokenize.ts';
import { readDate, readDecimal, readNumber } from './values.ts';

export const MAX_VALUES = 50;

export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** A value of a condition. */
export type Test =
  | { readonly kind: 'none' }
  | { readonly kind: 'is'; readonly value: boolean }
  | { readonly kind: 'equals'; readonly value: string }
  /** `*` matches any text; without one, the value contains the text. */
  | { readonly kind: 'matches'; readonly pattern: string; readonly hasGlobs: boolean }
  | { readonly kind: 'number'; readonly compare: Comparison; readonly value: string }
  | { readonly kind: 'numbers'; readonly from: string; readonly to: string }
  /** A time from `from` (inclusive) to `before` (exclusive); either may be absent. */
  | { readonly kind: 'time'; readonly from: Date | undefined; readonly before: Date | undefined };

/** One condition of a query. A page must meet all of them. */
export interface Condition {
  readonly negated: boolean;
  /** Undefined: url and title. */
  readonly field: Field | undefined;
  /** One of these must match. */
  readonly tests: readonly Test[];
}

/** Reads a query. @throws AppError validation, with what was expected and at which column */
export const parseQuery = (query: string): Condition[] => tokenize(query).map(toCondition);

function toCondition({ negated, column, field: name, parts }: Term): Condition {
  if (name === undefined) {
    const text = parts[0].text;
    return { negated, field: undefined, tests: [{ kind: 'matches', pattern: text, hasGlobs: false }] };
  }
  const field = fieldNamed(name);
  if (field === undefined) {
    const names = FIELDS.map((known) => known.name).join(', ');
    throw queryError(
      column,
      `there is no field "${name.slice(0, 40)}"; quote a word that holds a colon, or name one of ${names}`,
    );
  }
  const tooMany = parts[MAX_VALUES];
  if (tooMany !== undefined) throw queryError(tooMany.column, `expected ${MAX_VALUES} values at most`);
  return { negated, field, tests: parts.map((part) => toTest(field, part)) };
}

function toTest(field: Field, part: Part): Test {
  if (!part.quoted && part.text.toLowerCase() === 'none') return { kind: 'none' };
  switch (field.kind) {
    case 'boolean':
      return toBoolean(field, part);
    case 'number':
    case 'decimal':
      return toNumber(field, part);
    case 'date':
      return toTime(field, part);
    case 'word':
      return toWord(field, part);
    case 'text':
    case 'url':
    case 'list':
      return { kind: 'matches', pattern: part.text, hasGlobs: !part.quoted && part.text.includes('*') };
  }
}

function toBoolean(field: Field, { text, column }: Part): Test {
  const said = text.toLowerCase();
  if (said === 'true' || said === 'yes') return { kind: 'is', value: true };
  if (said === 'false' || said === 'no') return { kind: 'is', value: false };
  throw queryError(column, `expected true, false or none for ${field.name}`);
}

function toWord(field: Field, { text, quoted, column }: Part): Test {
  if (!quoted && text.includes('*')) return { kind: 'matches', pattern: text, hasGlobs: true };
  const known = field.oneOf?.find((value) => value.toLowerCase() === text.toLowerCase());
  if (field.oneOf !== undefined && known === undefined)
    throw queryError(column, `expected one of ${field.oneOf.join(', ')} for ${field.name}`);
  return { kind: 'equals', value: known ?? text };
}

const COMPARED = /^(>=|<=|>|<)?(.*)$/s;

/** Parses a comparison such as `>5`, or a range such as `1..5`. */
function cut(part: Part): { compare: Comparison; value: string; to: string | undefined } {
  const [, sign = '', rest = ''] = COMPARED.exec(part.text) ?? [];
  const dots = rest.indexOf('..');
  const compare = sign === '>' || sign === '>=' || sign === '<' || sign === '<=' ? sign : '=';
  if (dots < 0 || compare !== '=') return { compare, value: rest, to: undefined };
  return { compare, value: rest.slice(0, dots), to: rest.slice(dots + 2) };
}

function toNumber(field: Field, part: Part): Test {
  const read = (text: string): string => {
    const isDecimal = field.kind === 'decimal';
    const value = isDecimal ? readDecimal(text) : readNumber(text);
    if (value === undefined) {
      const expected = isDecimal ? 'a number' : 'a whole number';
      const examples = isDecimal ? '9.99, >9.99, <=9.99 or 1..9.99' : '5, >5, <=5 or 1..5';
      throw queryError(part.column, `expected ${expected} for ${field.name}, such as ${examples}`);
    }
    return value;
  };
  const { compare, value, to } = cut(part);
  return to === undefined
    ? { kind: 'number', compare, value: read(value) }
    : { kind: 'numbers', from: read(value), to: read(to) };
}

function toTime(field: Field, part: Part): Test {
  const read = (text: string) => {
    const span = readDate(text);
    if (span === undefined)
      throw queryError(
        part.column,
        `expected a date for ${field.name}, such as 2026-01-31, >2026-01-31T12:00Z or 2026-01-01..2026-01-31`,
      );
    return span;
  };
  const { compare, value, to } = cut(part);
  const span = read(value);
  if (to !== undefined) return { kind: 'time', from: span.from, before: read(to).before };
  switch (compare) {
    case '=':
      return { kind: 'time', ...span };
    case '>':
      return { kind: 'time', from: span.before, before: undefined };
    case '>=':
      return { kind: 'time', from: span.from, before: undefined };
    case '<':
      return { kind: 'time', from: undefined, before: span.from };
    case '<=':
      return { kind: 'time', from: undefined, before: span.before };
  }
}
