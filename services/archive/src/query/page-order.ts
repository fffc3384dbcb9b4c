import { AppError } from '@tidemark/errors';

/** Sort keys of a page `p` of a run. None of these values changes after the run is listed; `inLinks` is added after the run's end. */
const KEYS = {
  url: { sql: 'p.url COLLATE "C"', isNumber: false },
  httpStatus: { sql: 'nullif(p.http_status, 0)', isNumber: true },
  words: { sql: 'p.words', isNumber: true },
  credits: { sql: 'p.credits', isNumber: true },
  crawledAt: { sql: 'p.crawled_at', isNumber: false },
  depth: { sql: 'p.depth', isNumber: true },
  inLinks: { sql: 'p.in_links', isNumber: true },
} as const;
type SortField = keyof typeof KEYS;
const isSortField = (name: string): name is SortField => Object.hasOwn(KEYS, name);

/** The order of a page list. */
export interface PageOrder {
  readonly field: SortField;
  /** SQL of the sort key, never NULL. */
  readonly key: string;
  readonly direction: 'ASC' | 'DESC';
}

const MAX_INT = 2_147_483_647;

/** Reads a sort parameter: a field, with `-` for descending order; empty: the order of the page numbers. @throws AppError validation */
export function readOrder(sort: string): PageOrder | undefined {
  if (sort === '') return undefined;
  const isDescending = sort.startsWith('-');
  const field = isDescending ? sort.slice(1) : sort;
  if (!isSortField(field)) {
    const msg = `expected one of ${Object.keys(KEYS).join(', ')}, with "-" before it for descending order`;
    throw new AppError('validation', `sort: ${msg}`, {
      detail: [{ loc: ['query', 'sort'], msg, type: 'value_refused' }],
    });
  }
  const { sql, isNumber } = KEYS[field];
  // Pages without a value come last in both directions.
  const key = isNumber ? `coalesce(${sql}, ${isDescending ? -1 : MAX_INT})` : sql;
  return { field, key, direction: isDescending ? 'DESC' : 'ASC' };
}

export interface OrderSql {
  /** The sort key. */
  readonly key: string;
  /** The condition that a page follows page number `$2` of run `$1`; 0 is before the first page. */
  readonly follows: string;
  readonly direction: 'ASC' | 'DESC';
}

/**
 * Returns an order as SQL. The number of the last page is the position in every order: its sort key is read from its row, and the number
 * decides between equal keys, so that no page is skipped or repeated.
 */
export function orderSql(order: PageOrder | undefined): OrderSql {
  if (order === undefined) return { key: 'p.number', follows: 'p.number > $2', direction: 'ASC' };
  const { key, direction } = order;
  const last = `(SELECT ${key} FROM run_pages p WHERE p.run_no = $1 AND p.number = $2::int)`;
  const sign = direction === 'ASC' ? '>' : '<';
  const follows = `($2::int = 0 OR ${key} ${sign} ${last} OR (${key} = ${last} AND p.number > $2::int))`;
  return { key, follows, direction };
}
