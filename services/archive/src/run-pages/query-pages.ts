import type { BlobStore } from '@tidemark/blobs';
import type { ArchivedPage, QueryPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { isListedToEnd } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import { type BodyName, readFirstBodies } from '../pages/read-bodies.ts';
import {
  type FoundRow,
  hasBody,
  type PageFilter,
  type PageQueries,
  type SearchedBody,
  toArchived,
} from '../store/page-queries.ts';
import { compileQuery } from '../store/query/compile.ts';
import { type PageOrder, readOrder } from '../store/query/page-order.ts';
import { type PageFlag, pageSets } from '../store/query/page-sets.ts';
import { parseQuery } from '../store/query/parse.ts';

export interface PagesQuery {
  /** Undefined: every page. */
  readonly q?: string | undefined;
  readonly verdict?: Verdict | undefined;
  readonly flag?: PageFlag | undefined;
  /** A field of the row, with `-` for descending order; empty or undefined: the order in which the pages ended. */
  readonly sort?: string | undefined;
  readonly after: number;
  readonly limit: number;
  readonly bodies: readonly BodyName[];
  /** Only pages that have this body. */
  readonly withBody: SearchedBody | undefined;
}

/** Returns the SQL filter of a query for a page of a run's list. */
export type RunFilter = (run: ListedRun, after: number, limit: number) => PageFilter;

/** Compiles a query to SQL, before the run is read, so that a syntax error is returned at once. @throws AppError validation */
export function readQuery({ q, verdict, flag, sort = '', withBody }: PagesQuery): RunFilter {
  const order = readOrder(sort);
  const where = [
    ...pageSets(verdict, flag),
    ...(withBody === undefined ? [] : [hasBody(withBody)]),
    ...(q === undefined ? [] : compileQuery(parseQuery(q))),
  ];
  return (run, after, limit) => ({ runNo: run.no, after, limit, where, order });
}

/**
 * Checks that the run has the values of an order. They must not change between two requests of one list.
 * @throws AppError conflict
 */
function requireOrder(run: ListedRun, order: PageOrder): void {
  const isReady =
    isListedToEnd(run) && (order.field !== 'inLinks' || run.state === 'settled' || run.checked >= run.provisional);
  if (!isReady)
    throw new AppError(
      'conflict',
      `the pages can not be sorted by ${order.field} yet: the run has not ended, or its last pages are being stored; repeat the request later, or list the pages without sort`,
    );
}

/** Returns the pages of a run that match a query, in its order. @throws AppError conflict if the run can not be sorted yet */
export type QueryPages = (run: ListedRun, query: PagesQuery, filter: RunFilter) => Promise<QueryPagesResponse>;

export function makeQueryPages({
  queries,
  blobs,
}: {
  readonly queries: PageQueries;
  readonly blobs: BlobStore;
}): QueryPages {
  return async (run, query, filter) => {
    const page = filter(run, query.after, query.limit + 1);
    if (page.order !== undefined) requireOrder(run, page.order);
    const [found, total] = await Promise.all([
      queries.list(page),
      query.after === 0 ? queries.count(filter(run, 0, 0)) : undefined,
    ]);
    const shown = found.slice(0, query.limit);
    const pages = await withBodies(blobs, shown, query.bodies);
    const isCut = pages.length < found.length;
    const last = pages.at(-1)?.known?.number ?? query.after;
    return {
      pages,
      last: isCut || page.order !== undefined ? last : Math.max(last, reached(run, shown, query)),
      isMore: isCut || (page.order === undefined && (!isListedToEnd(run) || hasPendingDetails(run, query))),
      total,
    };
  };
}

/** A list that ends here continues after its last page: pages listed later have higher numbers. */
const reached = (run: ListedRun, shown: readonly FoundRow[], { after }: PagesQuery): number =>
  Math.max(after, shown.at(-1)?.known.number ?? 0, isListedToEnd(run) ? run.listed : 0);

/**
 * Returns true if a request past the end must be repeated: details that are known only after the run's end are still to be added to pages
 * listed before.
 */
const hasPendingDetails = (run: ListedRun, { after }: PagesQuery): boolean =>
  after > run.listed && run.checked < run.provisional;

async function withBodies(
  blobs: BlobStore,
  found: readonly FoundRow[],
  bodies: readonly BodyName[],
): Promise<ArchivedPage[]> {
  if (bodies.length === 0) return found.map((one) => toArchived(one));
  const read = await readFirstBodies(blobs, found, bodies);
  return read.map(({ page, bodies: body }) => toArchived(page, body));
}
