import type { Field } from './fields.ts';
import type { Condition, Test } from './parse.ts';

export type SqlValue = string | number | boolean | Date | readonly string[] | readonly number[];

/** Collects the parameters of a statement. No value becomes part of its text. */
export class Parameters {
  readonly #values: SqlValue[];

  constructor(values: readonly SqlValue[] = []) {
    this.#values = [...values];
  }

  add(value: SqlValue, type: 'text' | 'bigint' | 'float8' | 'timestamptz' | 'int'): string {
    this.#values.push(value);
    return `$${this.#values.length}::${type}`;
  }

  get values(): SqlValue[] {
    return [...this.#values];
  }
}

/** SQL of the path and query of a URL. */
const pathOf = (sql: string): string => `substr(${sql}, 8 + strpos(substr(${sql}, 9), '/'))`;

const escaped = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`);

/** Returns a LIKE pattern: of the whole text if it has globs, otherwise of a part of it. */
function likeOf(pattern: string, hasGlobs: boolean): string {
  if (!hasGlobs) return `%${escaped(pattern)}%`;
  // Consecutive globs match the same as one, and cost more.
  return escaped(pattern).replace(/\*+/g, '%');
}

function matches(field: Field, pattern: string, hasGlobs: boolean, parameters: Parameters): string {
  if (field.kind === 'list') {
    const like = parameters.add(likeOf(pattern, hasGlobs), 'text');
    // A glob applies to one element; a plain text is faster to find in the joined elements.
    return hasGlobs
      ? `EXISTS (SELECT FROM unnest(${field.sql}) AS e(v) WHERE e.v ILIKE ${like})`
      : `array_to_string(${field.sql}, chr(1)) ILIKE ${like}`;
  }
  if (field.kind === 'url' && pattern.startsWith('/'))
    return hasGlobs
      ? `${pathOf(field.sql)} LIKE ${parameters.add(likeOf(pattern, true), 'text')}`
      : `${pathOf(field.sql)} = ${parameters.add(pattern, 'text')}`;
  return `${field.sql} ILIKE ${parameters.add(likeOf(pattern, hasGlobs), 'text')}`;
}

function isNone(field: Field): string {
  if (field.kind === 'list') return `cardinality(${field.sql}) = 0`;
  const empty = field.kind === 'text' || field.kind === 'url' || field.kind === 'word' ? ` OR ${field.sql} = ''` : '';
  const none = field.none === undefined ? '' : ` OR ${field.sql} = ${field.none}`;
  return `(${field.sql} IS NULL${empty}${none})`;
}

function equals(field: Field, value: string, parameters: Parameters): string {
  if (field.oneOf !== undefined) return `${field.sql} = ${parameters.add(value, 'text')}`;
  const lower = value.toLowerCase();
  const same = `lower(${field.sql}) = ${parameters.add(lower, 'text')}`;
  if (field.name !== 'language') return same;
  // `en` means British English too.
  return `(${same} OR lower(${field.sql}) LIKE ${parameters.add(`${escaped(lower)}-%`, 'text')})`;
}

const numberType = ({ kind }: Field): 'bigint' | 'float8' => (kind === 'decimal' ? 'float8' : 'bigint');

function testSql(field: Field, test: Test, parameters: Parameters): string {
  const { sql } = field;
  switch (test.kind) {
    case 'none':
      return isNone(field);
    case 'is':
      return `${sql} IS ${test.value ? 'TRUE' : 'FALSE'}`;
    case 'equals':
      return equals(field, test.value, parameters);
    case 'matches':
      return matches(field, test.pattern, test.hasGlobs, parameters);
    case 'number': {
      const value = `${sql} ${test.compare} ${parameters.add(test.value, numberType(field))}`;
      // An absent value is stored as `field.none` and is not below any number.
      const isOpenBelow = field.none !== undefined && test.compare.startsWith('<');
      return isOpenBelow ? `(${value} AND ${sql} <> ${field.none})` : value;
    }
    case 'numbers':
      return `${sql} BETWEEN ${parameters.add(test.from, numberType(field))} AND ${parameters.add(test.to, numberType(field))}`;
    case 'time': {
      const from = test.from === undefined ? [] : [`${sql} >= ${parameters.add(test.from, 'timestamptz')}`];
      const before = test.before === undefined ? [] : [`${sql} < ${parameters.add(test.before, 'timestamptz')}`];
      return `(${[...from, ...before].join(' AND ')})`;
    }
  }
}

function conditionSql({ field, tests, negated }: Condition, parameters: Parameters): string {
  const any = tests.map((test) => {
    if (field !== undefined) return testSql(field, test, parameters);
    if (test.kind !== 'matches') return 'false';
    const pattern = parameters.add(likeOf(test.pattern, false), 'text');
    return `(p.url ILIKE ${pattern} OR p.title ILIKE ${pattern})`;
  });
  // An absent value meets no condition, and every negated one.
  return `(${any.join(' OR ')}) IS ${negated ? 'NOT TRUE' : 'TRUE'}`;
}

/** Compiles a query to SQL conditions on a page `p`. The text depends on the query's shape only; values are parameters. */
export function compileQuery(conditions: readonly Condition[], parameters: Parameters): string[] {
  return conditions.map((condition) => conditionSql(condition, parameters));
}
