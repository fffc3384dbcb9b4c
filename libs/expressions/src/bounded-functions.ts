import { type CelFunc, CelScalar, celFunc, celMethod, isCelList, listType } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { FUNCTIONS } from './functions.ts';
import { mentions } from './mentions.ts';

/** Longest list an expression may receive or build. */
export const MAX_LIST = 1_000;
/** Longest text a function may return, characters. */
export const MAX_TEXT = 1_000_000;

/** The functions that can return more than they receive, bounded by MAX_TEXT and MAX_LIST. */
const BOUNDED: readonly CelFunc[] = [
  celMethod(
    'replace',
    CelScalar.STRING,
    [CelScalar.STRING, CelScalar.STRING],
    CelScalar.STRING,
    function (old, replacement) {
      return replaceBounded(this, old, replacement, Number.POSITIVE_INFINITY);
    },
  ),
  celMethod(
    'replace',
    CelScalar.STRING,
    [CelScalar.STRING, CelScalar.STRING, CelScalar.INT],
    CelScalar.STRING,
    function (old, replacement, limit) {
      return replaceBounded(this, old, replacement, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));
    },
  ),
  celMethod('split', CelScalar.STRING, [CelScalar.STRING], listType(CelScalar.STRING), function (separator) {
    return splitBounded(this, separator, Number.POSITIVE_INFINITY);
  }),
  celMethod(
    'split',
    CelScalar.STRING,
    [CelScalar.STRING, CelScalar.INT],
    listType(CelScalar.STRING),
    function (separator, limit) {
      return splitBounded(this, separator, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));
    },
  ),
  celMethod('join', listType(CelScalar.DYN), [], CelScalar.STRING, function () {
    return joinBounded(this, '');
  }),
  celMethod('join', listType(CelScalar.DYN), [CelScalar.STRING], CelScalar.STRING, function (separator) {
    return joinBounded(this, separator);
  }),
];

/** Functions that CEL does not have. */
const OWN: readonly CelFunc[] = [
  celMethod('lower', CelScalar.STRING, [], CelScalar.STRING, function () {
    return this.toLowerCase();
  }),
  celFunc('mentions', [CelScalar.STRING, CelScalar.STRING], CelScalar.BOOL, mentions),
];

/** CEL has no arithmetic of an int with a double: `price * 2` of a number from JSON would have no overload. */
const MIXED_ARITHMETIC: readonly CelFunc[] = [
  ...mixed('_+_', (a, b) => a + b),
  ...mixed('_-_', (a, b) => a - b),
  ...mixed('_*_', (a, b) => a * b),
  ...mixed('_/_', (a, b) => a / b),
];

function mixed(name: string, compute: (a: number, b: number) => number): CelFunc[] {
  return [
    celFunc(name, [CelScalar.DOUBLE, CelScalar.INT], CelScalar.DOUBLE, (a, b) => compute(a, Number(b))),
    celFunc(name, [CelScalar.INT, CelScalar.DOUBLE], CelScalar.DOUBLE, (a, b) => compute(Number(a), b)),
  ];
}

const OFFERED = new Set(FUNCTIONS.map(({ name }) => name));

/** The functions to register beside CEL's standard ones. */
export const EXTENSIONS: readonly CelFunc[] = [
  ...strings.filter(({ name }) => OFFERED.has(name) && !BOUNDED.some((bounded) => bounded.name === name)),
  ...BOUNDED,
  ...OWN,
  ...MIXED_ARITHMETIC,
];

function replaceBounded(text: string, old: string, replacement: string, limit: number): string {
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const times = Math.min(parts.length - 1, limit);
  requireLength(text.length + times * Math.max(0, replacement.length - old.length));
  return parts
    .slice(1)
    .reduce((result, part, index) => result + (index < times ? replacement : old) + part, parts[0] ?? '');
}

/** As in Go's strings.SplitN, which the definition of CEL's extension names: the last of `limit` parts is the rest of the text. */
function splitBounded(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? [...text] : text.split(separator);
  const kept = parts.length <= limit ? parts : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
  if (kept.length > MAX_LIST)
    throw new Error(`the list would have ${kept.length} values; at most ${MAX_LIST} values are allowed`);
  return kept;
}

function joinBounded(list: unknown, separator: string): string {
  if (!isCelList(list)) throw new Error('join requires a list');
  const parts: string[] = [];
  let length = 0;
  for (const part of list) {
    if (typeof part !== 'string') throw new Error('join requires a list of texts; convert the values with string()');
    length += part.length + separator.length;
    requireLength(length);
    parts.push(part);
  }
  return parts.join(separator);
}

function requireLength(length: number): void {
  if (length > MAX_TEXT) throw new Error(`the text would have ${length} characters; at most ${MAX_TEXT} are allowed`);
}
