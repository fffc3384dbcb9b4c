import type { MapEnvelope, PageRow, Tidemark } from '@tidemark/sdk';
import { EXCERPTS, INDEX_ROWS, type PageView, restOf, shapePage, shapePages } from './shape-pages.ts';
import type { ToolContext, ToolResult } from './tool.ts';

/** Kinds of jobs, as get_job names them. */
export const JOB_KINDS = ['scrape', 'crawl', 'map', 'run'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Rows per request without bodies. */
const ROWS = 500;

interface Envelope {
  readonly id: string;
  readonly status: string;
  readonly progress: unknown;
  readonly counts: unknown;
  readonly creditsUsed: number;
  readonly stop: string | null;
  readonly error: string | null;
}

/** The state of a job, with the arguments of get_job. */
export function jobState(kind: JobKind, { id, status, progress, counts, creditsUsed, stop, error }: Envelope) {
  return { job: { kind, id }, status, progress, counts, credits: creditsUsed, stop, error };
}

interface Position {
  readonly kind: JobKind;
  readonly id: string;
  /** Whether there are, or will be, more rows. */
  readonly isMore: boolean;
  readonly cursor: string | null | undefined;
  /** Further arguments of the call. */
  readonly again?: Omit<PagesPart, 'cursor'>;
}

/** The call that returns the next rows; null after the last one. */
const nextCall = ({ kind, id, isMore, cursor, again = {} }: Position) => {
  const given = Object.entries(again).filter(([, value]) => value !== undefined);
  return isMore
    ? { tool: 'get_job', arguments: { kind, id, ...Object.fromEntries(given), ...(cursor ? { cursor } : {}) } }
    : null;
};

/** Reads one list of rows, with the bodies of excerpts or without bodies. */
export type ReadRows = (query: {
  readonly cursor?: string;
  readonly limit: number;
  readonly withBodies: boolean;
}) => Promise<Envelope & { readonly data: PageRow[]; readonly next: string | null; readonly cursor: string | null }>;

/** The part of a list of pages that a caller requests. */
export interface PagesPart {
  readonly cursor?: string | undefined;
  /** Rows; by default `INDEX_ROWS`. */
  readonly limit?: number | undefined;
  /** Fields of each row, and `excerpts`; undefined: all. */
  readonly fields?: readonly string[] | undefined;
}

/** Reads the rows after a cursor: the first ones with text for excerpts, the others without bodies. */
export async function readPages(kind: JobKind, read: ReadRows, part: PagesPart = {}): Promise<ToolResult> {
  const { cursor: after, limit = INDEX_ROWS, fields } = part;
  const withBodies = fields === undefined || fields.includes('excerpts');
  const first = await read({
    ...(after === undefined ? {} : { cursor: after }),
    limit: withBodies ? Math.min(limit, EXCERPTS) : limit,
    withBodies,
  });
  const rows = [...first.data];
  let last = first;
  if (first.next !== null && first.cursor !== null && first.data.length === EXCERPTS && limit > EXCERPTS) {
    last = await read({ cursor: first.cursor, limit: limit - EXCERPTS, withBodies: false });
    rows.push(...last.data);
  }
  // A list without rows has no cursor: the next call continues after the rows before it.
  const cursor = last.cursor ?? first.cursor ?? after;
  const again = { limit: part.limit, fields };
  const next = nextCall({ kind, id: last.id, isMore: last.next !== null, cursor, again });
  return { ...jobState(kind, last), ...shapePages(rows, fields), next };
}

/** Shapes a map: up to `INDEX_ROWS` URLs. `limit`: of the call that continues. */
export function shapeMap(map: MapEnvelope, limit?: number): ToolResult {
  const { data, totals, method, robots, next, cursor } = map;
  const urls = data.map(({ url, lastmod, section }) => ({ url, lastmod, section }));
  return {
    ...jobState('map', map),
    method,
    totals,
    robots: robots === null ? null : { found: robots.found, allowed: robots.allowed, crawlDelay: robots.crawlDelay },
    urls,
    truncated: next !== null,
    next: nextCall({ kind: 'map', id: map.id, isMore: next !== null, cursor, again: { limit } }),
  };
}

/** Returns the function that reads the rows of a job. A batch has the bodies that were requested, and no rows without any. */
export function rowReader(
  kind: 'scrape' | 'crawl' | 'run',
  id: string,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): ReadRows {
  const path = { id };
  return ({ withBodies, ...query }) =>
    kind === 'scrape'
      ? client.call('GET /scrape/{id}', { path, query: withBodies ? query : { ...query, formats: 'links' }, signal })
      : client.call('GET /crawl/{id}', {
          path,
          query: { ...query, formats: withBodies ? 'markdown,links' : 'none' },
          signal,
        });
}

/** Returns the rows of a map after a cursor. */
export async function readMap(
  client: Tidemark,
  id: string,
  options: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly signal: AbortSignal },
) {
  const { cursor, limit = ROWS, signal } = options;
  const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
  return await client.call('GET /map/{id}', { path: { id }, query, signal });
}

/** Shapes one page of a job, with the call that returns the rest of its bodies. */
export function pageOfJob(
  { kind, id, url }: { readonly kind: JobKind; readonly id: string; readonly url: string },
  page: PageRow,
  view: PageView,
): ToolResult {
  const shaped = shapePage(page, view);
  const offset = restOf(shaped);
  const again = { kind, id, url, ...(view.fields === undefined ? {} : { fields: view.fields }), offset };
  return { job: { kind, id }, ...shaped, next: offset === undefined ? null : { tool: 'get_job', arguments: again } };
}
