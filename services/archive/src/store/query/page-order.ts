import { AppError } from '@tidemark/errors';
import { type RawBuilder, sql } from '@tidemark/sql';

/** Sort keys of a page `p` of a run. None of these values changes after the run is listed; `inLinks` is added after the run's end. */
const KEYS = {
  url: { value: sql`p.url COLLATE "C"`, isNumber: false },
  httpStatus: { value: sql`nullif(p.http_status, 0)`, isNumber: true },
  words: { value: sql`p.words`, isNumber: true },
  credits: { value: sql`p.credits`, isNumber: true },
  crawledAt: { value: sql`p.crawled_at`, isNumber: false },
  depth: { value: sql`p.depth`, isNumber: true },
  inLinks: { value: sql`p.in_links`, isNumber: true },
} as const;
type SortField = keyof typeof KEYS;
const isSortField = (name: string): name is SortField => Object.hasOwn(KEYS, name);

/** The order of a page list. */
export interface PageOrder {
  readonly field: SortField;
  /** SQL of the sort key, never NULL. */
  readonly key: RawBuilder<unknown>;
  readonly direction: 'asc' | 'desc';
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
  const { value, isNumber } = KEYS[field];
  // Pages without a value come last in both directions.
  const key = isNumber ? sql`coalesce(${value}, ${sql.lit(isDescending ? -1 : MAX_INT)})` : value;
  return { field, key, direction: isDescending ? 'desc' : 'asc' };
}

export interface OrderSql {
  /** The sort key. */
  readonly key: RawBuilder<unknown>;
  /** The condition that a page follows the last one. */
  readonly follows: RawBuilder<boolean>;
  readonly direction: 'asc' | 'desc';
}

/**
 * Returns an order as SQL. The number of the last page is the position in every order: its sort key is read from its row, and the number
 * decides between equal keys, so that no page is skipped or repeated. @param after number of the last page; 0: before the first page
 */
export function orderSql(order: PageOrder | undefined, runNo: string, after: number): OrderSql {
  if (order === undefined) return { key: sql`p.number`, follows: sql`p.number > ${after}`, direction: 'asc' };
  const { key, direction } = order;
  if (after === 0) return { key, follows: sql`true`, direction };
  const last = sql`(SELECT ${key} FROM run_pages p WHERE p.run_no = ${runNo} AND p.number = ${after})`;
  const isBehind = direction === 'asc' ? sql`${key} > ${last}` : sql`${key} < ${last}`;
  return { key, follows: sql`(${isBehind} OR (${key} = ${last} AND p.number > ${after}))`, direction };
}
