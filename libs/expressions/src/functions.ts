export interface FunctionEntry {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  readonly example: string;
  /** The value of the example. */
  readonly result: unknown;
}

/** The functions an expression may call. The examples are evaluated in a test. */
export const FUNCTIONS: readonly FunctionEntry[] = [
  entry('size', 'size(text | list | map) -> int', 'Length in characters, values or keys.', 'size("abc")', 3n),
  entry('contains', 'text.contains(text) -> bool', 'Whether the text contains the other.', '"a-b".contains("-")', true),
  entry(
    'startsWith',
    'text.startsWith(text) -> bool',
    'Whether the text begins with the other.',
    '"/news/1".startsWith("/news")',
    true,
  ),
  entry(
    'endsWith',
    'text.endsWith(text) -> bool',
    'Whether the text ends with the other.',
    '"a.pdf".endsWith(".pdf")',
    true,
  ),
  entry(
    'matches',
    'text.matches(pattern) -> bool',
    'Whether an RE2 pattern is found in the text.',
    '"item 42".matches("[0-9]+$")',
    true,
  ),
  entry(
    'mentions',
    'mentions(text, words) -> bool',
    'Whether the text has these whole words next to each other, whatever their case, accents and punctuation.',
    'mentions("Product recall: lamps", "RECALL LAMPS")',
    true,
  ),
  entry('lower', 'text.lower() -> text', 'Lower case.', '"ÄB".lower()', 'äb'),
  entry('lowerAscii', 'text.lowerAscii() -> text', 'Lower case of A to Z.', '"ABC".lowerAscii()', 'abc'),
  entry('upperAscii', 'text.upperAscii() -> text', 'Upper case of a to z.', '"abc".upperAscii()', 'ABC'),
  entry('trim', 'text.trim() -> text', 'Removes white space at both ends.', '"  a ".trim()', 'a'),
  entry(
    'replace',
    'text.replace(old, new, [limit]) -> text',
    'Replaces each occurrence, or the first `limit`.',
    '"1,200".replace(",", "")',
    '1200',
  ),
  entry('split', 'text.split(separator, [limit]) -> list', 'Splits at each separator.', '"a,b".split(",")', ['a', 'b']),
  entry('join', 'list.join([separator]) -> text', 'Joins a list of texts.', '["a", "b"].join("-")', 'a-b'),
  entry(
    'substring',
    'text.substring(start, [end]) -> text',
    'Characters from start, up to end.',
    '"abcdef".substring(1, 3)',
    'bc',
  ),
  entry('charAt', 'text.charAt(index) -> text', 'One character.', '"abc".charAt(1)', 'b'),
  entry(
    'indexOf',
    'text.indexOf(text, [start]) -> int',
    'Position of the first occurrence, or -1.',
    '"abcabc".indexOf("c")',
    2n,
  ),
  entry(
    'lastIndexOf',
    'text.lastIndexOf(text, [start]) -> int',
    'Position of the last occurrence, or -1.',
    '"abcabc".lastIndexOf("c")',
    5n,
  ),
  entry(
    'int',
    'int(text | double | bool | timestamp) -> int',
    'Converts to a whole number; a timestamp to seconds since 1970.',
    'int("42")',
    42n,
  ),
  entry('double', 'double(text | int) -> double', 'Converts to a number.', 'double("4.5")', 4.5),
  entry('string', 'string(any scalar) -> text', 'Converts to text.', 'string(42)', '42'),
  entry('bool', 'bool(text) -> bool', 'Converts "true" and "false".', 'bool("true")', true),
  entry(
    'timestamp',
    'timestamp(text) -> timestamp',
    'Reads an RFC 3339 time.',
    'timestamp("2026-01-02T03:04:05Z").getFullYear()',
    2026n,
  ),
  entry(
    'duration',
    'duration(text) -> duration',
    'Reads a length of time such as "1h30m".',
    'duration("1h") > duration("30m")',
    true,
  ),
  entry(
    'getFullYear',
    'timestamp.getFullYear([timezone]) -> int',
    'Year; UTC without a time zone.',
    'timestamp("2026-01-02T03:04:05Z").getFullYear()',
    2026n,
  ),
  entry(
    'getMonth',
    'timestamp.getMonth([timezone]) -> int',
    'Month, from 0.',
    'timestamp("2026-01-02T03:04:05Z").getMonth()',
    0n,
  ),
  entry(
    'getDate',
    'timestamp.getDate([timezone]) -> int',
    'Day of the month, from 1.',
    'timestamp("2026-01-02T03:04:05Z").getDate()',
    2n,
  ),
  entry(
    'getDayOfWeek',
    'timestamp.getDayOfWeek([timezone]) -> int',
    'Day of the week, 0 is Sunday.',
    'timestamp("2026-01-02T03:04:05Z").getDayOfWeek()',
    5n,
  ),
  entry(
    'getHours',
    'timestamp.getHours([timezone]) -> int',
    'Hour of the day.',
    'timestamp("2026-01-02T03:04:05Z").getHours()',
    3n,
  ),
  entry(
    'getMinutes',
    'timestamp.getMinutes([timezone]) -> int',
    'Minute of the hour.',
    'timestamp("2026-01-02T03:04:05Z").getMinutes()',
    4n,
  ),
  entry(
    'getSeconds',
    'timestamp.getSeconds([timezone]) -> int',
    'Second of the minute.',
    'timestamp("2026-01-02T03:04:05Z").getSeconds()',
    5n,
  ),
  entry('has', 'has(map.key) -> bool', 'Whether a map has the key.', 'has({"a": 1}.a)', true),
  entry(
    'exists',
    'list.exists(x, condition) -> bool',
    'Whether the condition holds for a value.',
    '[1, 2].exists(x, x > 1)',
    true,
  ),
  entry(
    'all',
    'list.all(x, condition) -> bool',
    'Whether the condition holds for all values.',
    '[1, 2].all(x, x > 1)',
    false,
  ),
  entry(
    'exists_one',
    'list.exists_one(x, condition) -> bool',
    'Whether the condition holds for exactly one value.',
    '[1, 2].exists_one(x, x > 1)',
    true,
  ),
  entry(
    'filter',
    'list.filter(x, condition) -> list',
    'The values for which the condition holds.',
    '[1, 2, 3].filter(x, x > 1)',
    [2n, 3n],
  ),
  entry('map', 'list.map(x, expression) -> list', 'The expression for each value.', '[1, 2].map(x, x * 2)', [2n, 4n]),
  entry('type', 'type(any) -> type', 'The type of a value.', 'type(1) == int', true),
];

/** The operators of an expression, in the order of their precedence. */
export const OPERATORS: readonly string[] = [
  'a.b',
  'a[b]',
  'f(a)',
  '-a',
  '!a',
  'a * b',
  'a / b',
  'a % b',
  'a + b',
  'a - b',
  'a == b',
  'a != b',
  'a < b',
  'a <= b',
  'a > b',
  'a >= b',
  'a in b',
  'a && b',
  'a || b',
  'a ? b : c',
  '[a, b]',
  '{"k": a}',
];

function entry(name: string, signature: string, description: string, example: string, result: unknown): FunctionEntry {
  return { name, signature, description, example, result };
}
