import { create } from 'jsondiffpatch';
import type { FieldChange } from '../domain/page-delta.ts';
import type { ExtractedValues } from '../domain/page-reading.ts';

/** Maximum number of changes and of characters per value, for one page. */
const MAX_CHANGES = 100;
const MAX_CHARS = 2_000;
/** Larger or deeper values are compared as a whole: jsondiffpatch compares arrays in quadratic time. */
const MAX_ITEMS = 200;
const MAX_DEPTH = 8;

const objects = create({
  objectHash: (item, index) => identityOf(item) ?? `at ${index}`,
  arrays: { detectMove: true, includeValueOnMove: false },
});

/**
 * Compares the extracted values of two readings. Names changes by their path: `fields.price`, `fields.variants[2].sku`.
 */
export function compareExtractedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  broken: ReadonlySet<string> = new Set(),
): FieldChange[] {
  // A value of a broken selector says nothing about the page.
  return compareNamed('fields', [before, after], (name) => !broken.has(name));
}

/**
 * Compares the values that a language model extracted from two readings, named like `extracted.price`. Values of other schemas, prompts and models,
 * and a failed extraction, are no change of the page.
 */
export const compareModelValues = (before?: ExtractedValues, after?: ExtractedValues): FieldChange[] =>
  before === undefined || after === undefined || before.key !== after.key
    ? []
    : compareNamed('extracted', [before.values, after.values], () => true);

type Values = Readonly<Record<string, unknown>>;

function compareNamed(
  root: string,
  [before, after]: readonly [Values, Values],
  isCompared: (name: string) => boolean,
): FieldChange[] {
  const changes: FieldChange[] = [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names.filter(isCompared)) compareValue(`${root}.${name}`, before[name], after[name], changes);
  return changes.slice(0, MAX_CHANGES);
}

function compareValue(path: string, before: unknown, after: unknown, changes: FieldChange[]): void {
  if (!isObject(before) || !isObject(after) || !isSmall(before) || !isSmall(after)) {
    const [from, to] = [textOf(before), textOf(after)];
    if (JSON.stringify(before) !== JSON.stringify(after)) changes.push(changeOf(path, from, to));
    return;
  }
  collectChanges(path, objects.diff(before, after), changes);
}

/**
 * Format of jsondiffpatch: [new], [old, new], [old, 0, 0], [old path, to, 3]; an object nests, of an array if `_t` is
 * `a`.
 */
function collectChanges(path: string, delta: unknown, changes: FieldChange[]): void {
  if (changes.length >= MAX_CHANGES || !isObject(delta)) return;
  if (Array.isArray(delta)) {
    if (delta.length === 1) changes.push(changeOf(path, undefined, textOf(delta[0])));
    else if (delta.length === 2) changes.push(changeOf(path, textOf(delta[0]), textOf(delta[1])));
    else if (delta[2] === 0) changes.push(changeOf(path, textOf(delta[0]), undefined));
    return;
  }
  const isOfArray = '_t' in delta;
  for (const [key, value] of Object.entries(delta)) {
    if (isOfArray && key === '_t') continue;
    const step = isOfArray ? `[${key.replace('_', '')}]` : `.${key}`;
    collectChanges(`${path}${step}`, value, changes);
  }
}

const changeOf = (name: string, from: string | undefined, to: string | undefined): FieldChange => ({
  name,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether jsondiffpatch can compare the value in bounded time. */
function isSmall(value: object, depth = 0): boolean {
  if (depth >= MAX_DEPTH) return false;
  const items = Object.values(value);
  return items.length <= MAX_ITEMS && items.every((item) => !isObject(item) || isSmall(item, depth + 1));
}

/** Returns a key that identifies an object among its siblings in a list. */
function identityOf(item: object): string | undefined {
  for (const name of ['id', '@id', 'sku', 'url', 'name']) {
    const found = Object.getOwnPropertyDescriptor(item, name)?.value;
    if (typeof found === 'string' || typeof found === 'number') return `${name} ${found}`;
  }
  return undefined;
}
