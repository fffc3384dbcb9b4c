import type { BlobStore } from '@tidemark/blobs';
import type { ArchivedPage, QueryPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import type { ListedRun } from '../domain/listed-run.ts';
import { type BodyName, readFirstBodies } from '../pages/read-bodies.ts';
import { compileQuery, Parameters } from '../query/compile.ts';
import { pageSets } from '../query/page-sets.ts';
import { parseQuery } from '../query/parse.ts';
import {
  type FoundRow,
  hasBody,
  type PageFilter,
  type PageQueries,
  type SearchedBody,
  toArchived,
} from '../store/page-queries.ts';

export interface PagesQuery {
  readonly q: string;
  readonly verdict: string;
  readonly flag: string;
  readonly after: number;
  readonly limit: number;
  readonly bodies: readonly BodyName[];
  /** Only pages that have this body. */
  readonly withBody: SearchedBody | undefined;
}

/** Compiles a query to SQL, before the run is read, so that a syntax error is returned at once. @throws AppError validation */
export function readQuery({ q, verdict, flag, withBody }: PagesQuery) {
  const conditions = parseQuery(q);
  const sets = [...pageSets(verdict, flag), ...(withBody === undefined ? [] : [hasBody(withBody)])];
  return (run: ListedRun, after: number, limit: number): PageFilter => {
    const parameters = new Parameters([run.no, after, limit]);
    const where = [...sets.map((set) => `(${set})`), ...compileQuery(conditions, parameters)];
    return { where, values: parameters.values };
  };
}

/** Returns the pages of a run that match a query, in the order in which they ended. */
export function makeQueryPages({ queries, blobs }: { queries: PageQueries; blobs: BlobStore }) {
  return async (
    run: ListedRun,
    query: PagesQuery,
    filter: ReturnType<typeof readQuery>,
  ): Promise<QueryPagesResponse> => {
    const [found, total] = await Promise.all([
      queries.list(filter(run, query.after, query.limit + 1)),
      query.after === 0 ? queries.count(filter(run, 0, 0)) : undefined,
    ]);
    const shown = found.slice(0, query.limit);
    const pages = await withBodies(blobs, shown, query.bodies);
    const isCut = pages.length < found.length;
    const last = pages.at(-1)?.known?.number ?? query.after;
    return {
      pages,
      last: isCut ? last : Math.max(last, reached(run, shown, query)),
      isMore: isCut || !run.complete || hasPendingDetails(run, query),
      total,
    };
  };
}

/** A list that ends here continues after its last page: pages listed later have higher numbers. */
const reached = (run: ListedRun, shown: readonly FoundRow[], { after }: PagesQuery): number =>
  Math.max(after, shown.at(-1)?.known.number ?? 0, run.complete ? run.listed : 0);

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
