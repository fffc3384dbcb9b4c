import fc from 'fast-check';

/** A place in a JSON value. */
type Place = readonly (string | number)[];

/** A body of text or bytes, and what is wrong with it. */
export interface Mutated {
  readonly body: string | Uint8Array;
  readonly note: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const HUGE = 100_000;
const DEEP = 5_000;

const deepArray = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepObject = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** JSON texts that are laid in place of one node of a valid body, by name. */
const NODES: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  zero: '0',
  'minus one': '-1',
  fraction: '0.5',
  'a number beyond 2^53': '9007199254740993',
  'a number beyond every double': '1e400',
  'a small number': '-1e-320',
  'an empty string': '""',
  'an empty array': '[]',
  'an empty object': '{}',
  'a string of digits': '"5"',
  'a huge string': JSON.stringify('x'.repeat(HUGE)),
  'a huge string of emoji': JSON.stringify('👩‍👧'.repeat(HUGE / 10)),
  'combining marks': JSON.stringify(`e${'\u0301'.repeat(5_000)}`),
  'control characters': '"a\\u0000b\\u0007\\u001b[31m\\r\\nX-A: b"',
  'a lone surrogate': '"\\ud800x\\udc00"',
  'non-characters': '"\\ufffe\\uffff\\u2028\\u202e"',
  'a deep array': deepArray(DEEP),
  'a deep object': deepObject(DEEP),
  'a long array': `[${'0,'.repeat(20_000)}0]`,
  'an object of many keys': `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  'a __proto__ key': '{"__proto__":{"polluted":true}}',
  'a constructor key': '{"constructor":{"prototype":{"polluted":true}}}',
  'a toString key': '{"toString":1,"valueOf":2,"then":3}',
  'a then key': '{"then":"x"}',
  'a dollar key': '{"$ne":null}',
};

const MARK = '\u0000node\u0000';

/** Returns every place of a JSON value, its root included. */
function placesOf(value: unknown, at: Place = []): Place[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((part, index) => placesOf(part, [...at, index]))];
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, part]) => placesOf(part, [...at, key]))];
}

function replaced(value: unknown, [head, ...rest]: Place, by: unknown): unknown {
  if (head === undefined) return by;
  if (Array.isArray(value)) return value.map((part, index) => (index === head ? replaced(part, rest, by) : part));
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(fields.map(([key, part]) => [key, key === head ? replaced(part, rest, by) : part]));
}

const textWith = (value: unknown, place: Place, text: string): string =>
  JSON.stringify(replaced(value, place, MARK)).replace(JSON.stringify(MARK), () => text);

/** Lays one hostile node over one place of a valid body. */
function withNode(value: unknown): fc.Arbitrary<Mutated> {
  const node = fc.constantFrom(...Object.entries(NODES));
  return fc.tuple(fc.constantFrom(...placesOf(value)), node).map(([place, [name, text]]) => ({
    body: textWith(value, place, text),
    note: `${name} at ${place.join('.') || 'the root'}`,
  }));
}

/** Lays a string of any characters over one place of a valid body. */
const withString = (value: unknown): fc.Arbitrary<Mutated> =>
  fc.tuple(fc.constantFrom(...placesOf(value)), fc.string({ unit: 'binary', maxLength: 300 })).map(([place, text]) => ({
    body: textWith(value, place, JSON.stringify(text)),
    note: `a string at ${place.join('.') || 'the root'}`,
  }));

/** Adds a key to an object of a valid body, once more where it has that key. */
function withKey(value: unknown): fc.Arbitrary<Mutated> {
  const text = JSON.stringify(value);
  const opens = [...text.matchAll(/\{/g)].map(({ index }) => index);
  if (opens.length === 0) return withNode(value);
  const keys = [...text.matchAll(/"(\w+)":/g)].map(([, key = '']) => key);
  const names = fc.constantFrom(...keys, '__proto__', 'constructor', 'toString', '', 'a b', '\u0000');
  return fc
    .tuple(fc.constantFrom(...opens), names, fc.constantFrom(...Object.entries(NODES)))
    .map(([at, key, node]) => {
      const rest = text.slice(at + 1);
      const added = `${JSON.stringify(key)}:${node[1]}${rest.startsWith('}') ? '' : ','}`;
      return {
        body: `${text.slice(0, at + 1)}${added}${rest}`,
        note: `another key ${JSON.stringify(key)} with ${node[0]}`,
      };
    });
}

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=klingon',
  'application/xml',
  'application/json, application/json',
  '\u00e4',
  '*/*',
];

/** Damages the text of a valid body. */
function withText(value: unknown): fc.Arbitrary<Mutated> {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  return fc.oneof(
    fc.nat({ max: text.length }).map((end) => ({ body: text.slice(0, end), note: `cut after ${end} characters` })),
    fc.constantFrom(...TYPES).map((type) => ({
      body: text,
      note: `content type ${type}`,
      headers: { 'content-type': type },
    })),
    fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity, gzip').map((coding) => ({
      body: text,
      note: `content encoding ${coding}`,
      headers: { 'content-encoding': coding },
    })),
    fc.tuple(fc.nat({ max: bytes.length }), fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([at, noise]) => ({
      body: Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]),
      note: `noise after ${at} bytes`,
    })),
    fc.constantFrom(
      { body: `\ufeff${text}`, note: 'a byte order mark' },
      { body: Buffer.from(text, 'utf16le'), note: 'UTF-16' },
      { body: `${text}${text}`, note: 'the body twice' },
      { body: `${text}\u0000`, note: 'a NUL at the end' },
      { body: `[${text}]`, note: 'the body in an array' },
      { body: `${text.slice(0, -1)},}`, note: 'a comma at the end' },
      { body: '['.repeat(HUGE), note: 'open brackets' },
      { body: deepObject(HUGE / 10), note: 'a deep object' },
      { body: JSON.stringify('x'.repeat(1_100_000)), note: 'more than a megabyte' },
      { body: '', note: 'no body' },
    ),
  );
}

/** Returns an arbitrary of bodies around a valid one: most have one thing wrong with them, some nothing. */
export const mutationsOf = (value: unknown): fc.Arbitrary<Mutated> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({ body: JSON.stringify(value), note: 'as the schema has it' }) },
    { weight: 5, arbitrary: withNode(value) },
    { weight: 2, arbitrary: withString(value) },
    { weight: 2, arbitrary: withKey(value) },
    { weight: 3, arbitrary: withText(value) },
  );

/** JSON texts of hostile nodes that fit into a query or a path: strings. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '-1',
    '1e400',
    'NaN',
    '0x10',
    '1;2',
    '\u0000',
    '\r\nX-A: b',
    '../../etc/passwd',
    '%00',
    '%zz',
    '__proto__',
    'constructor',
    'null',
    "' OR 1=1--",
    '{"$ne":null}',
    '{{7*7}}',
    '\ud83d\ude00',
    '\u202e',
    'x'.repeat(3_000),
  ),
  fc.string({ unit: 'binary', maxLength: 100 }),
);
