import { type RawBuilder, sql } from '@tidemark/sql';
import type { Field } from './fields.ts';
import type { Condition, Test } from './parse.ts';

type Sql = RawBuilder<boolean>;

const columnOf = (field: Field): RawBuilder<unknown> => sql.raw(field.sql);
const anyOf = (conditions: readonly Sql[]): Sql => sql`${sql.join(conditions, sql` OR `)}`;

/** SQL of the path and query of a URL. */
const pathOf = (url: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`substr(${url}, 8 + strpos(substr(${url}, 9), '/'))`;

const escaped = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`);

/** Returns a LIKE pattern: of the whole text if it has globs, otherwise of a part of it. */
function likeOf(pattern: string, hasGlobs: boolean): string {
  if (!hasGlobs) return `%${escaped(pattern)}%`;
  // Consecutive globs match the same as one, and cost more.
  return escaped(pattern).replace(/\*+/g, '%');
}

function matches(field: Field, pattern: string, hasGlobs: boolean): Sql {
  const column = columnOf(field);
  const like = likeOf(pattern, hasGlobs);
  if (field.kind === 'list')
    // A glob applies to one element; a plain text is faster to find in the joined elements.
    return hasGlobs
      ? sql`EXISTS (SELECT FROM unnest(${column}) AS e(v) WHERE e.v ILIKE ${like}::text)`
      : sql`array_to_string(${column}, chr(1)) ILIKE ${like}::text`;
  if (field.kind === 'url' && pattern.startsWith('/'))
    return hasGlobs ? sql`${pathOf(column)} LIKE ${like}::text` : sql`${pathOf(column)} = ${pattern}::text`;
  return sql`${column} ILIKE ${like}::text`;
}

function isNone(field: Field): Sql {
  const column = columnOf(field);
  if (field.kind === 'list') return sql`cardinality(${column}) = 0`;
  const isText = field.kind === 'text' || field.kind === 'url' || field.kind === 'word';
  return sql`(${anyOf([
    sql`${column} IS NULL`,
    ...(isText ? [sql<boolean>`${column} = ''`] : []),
    ...(field.none === undefined ? [] : [sql<boolean>`${column} = ${sql.raw(field.none)}`]),
  ])})`;
}

function equals(field: Field, value: string): Sql {
  const column = columnOf(field);
  if (field.oneOf !== undefined) return sql`${column} = ${value}::text`;
  const lower = value.toLowerCase();
  if (field.name !== 'language') return sql`lower(${column}) = ${lower}::text`;
  // `en` means British English too.
  return sql`(lower(${column}) = ${lower}::text OR lower(${column}) LIKE ${`${escaped(lower)}-%`}::text)`;
}

const numberOf = ({ kind }: Field, value: string): RawBuilder<unknown> =>
  kind === 'decimal' ? sql`${value}::float8` : sql`${value}::bigint`;

function testSql(field: Field, test: Test): Sql {
  const column = columnOf(field);
  switch (test.kind) {
    case 'none':
      return isNone(field);
    case 'is':
      return test.value ? sql`${column} IS TRUE` : sql`${column} IS FALSE`;
    case 'equals':
      return equals(field, test.value);
    case 'matches':
      return matches(field, test.pattern, test.hasGlobs);
    case 'number': {
      const value = sql<boolean>`${column} ${sql.raw(test.compare)} ${numberOf(field, test.value)}`;
      // An absent value is stored as `field.none` and is not below any number.
      const isOpenBelow = field.none !== undefined && test.compare.startsWith('<');
      return isOpenBelow ? sql`(${value} AND ${column} <> ${sql.raw(field.none)})` : value;
    }
    case 'numbers':
      return sql`${column} BETWEEN ${numberOf(field, test.from)} AND ${numberOf(field, test.to)}`;
    case 'time': {
      const from = test.from === undefined ? [] : [sql`${column} >= ${test.from}::timestamptz`];
      const before = test.before === undefined ? [] : [sql`${column} < ${test.before}::timestamptz`];
      return sql`(${sql.join([...from, ...before], sql` AND `)})`;
    }
  }
}

function conditionSql({ field, tests, negated }: Condition): Sql {
  const any = tests.map((test) => {
    if (field !== undefined) return testSql(field, test);
    if (test.kind !== 'matches') return sql<boolean>`false`;
    const pattern = likeOf(test.pattern, false);
    return sql<boolean>`(p.url ILIKE ${pattern}::text OR p.title ILIKE ${pattern}::text)`;
  });
  // An absent value meets no condition, and every negated one.
  return negated ? sql`(${anyOf(any)}) IS NOT TRUE` : sql`(${anyOf(any)}) IS TRUE`;
}

/** Compiles a query to SQL conditions on a page `p`. The text depends on the query's shape only; values are parameters. */
export const compileQuery = (conditions: readonly Condition[]): RawBuilder<boolean>[] => conditions.map(conditionSql);
