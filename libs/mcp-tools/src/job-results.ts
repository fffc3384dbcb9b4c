import type { MapEnvelope, PageRow, Tidemark } from '@tidemark/sdk';
import { EXCERPTS, INDEX_ROWS, shapePages } from './shape-pages.ts';
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
}

/** The call that returns the next rows; null after the last one. */
const nextCall = ({ kind, id, isMore, cursor }: Position) =>
  isMore ? { tool: 'get_job', arguments: { kind, id, ...(cursor ? { cursor } : {}) } } : null;

/** Reads one list of rows, with the bodies of excerpts or without bodies. */
export type ReadRows = (query: {
  readonly cursor?: string;
  readonly limit: number;
  readonly withBodies: boolean;
}) => Promise<Envelope & { readonly data: PageRow[]; readonly next: string | null; readonly cursor: string | null }>;

/** Reads the rows after a cursor: the first ones with text for excerpts, the others without bodies. */
export async function readPages(kind: JobKind, read: ReadRows, after?: string): Promise<ToolResult> {
  const first = await read({
    ...(after === undefined ? {} : { cursor: after }),
    limit: EXCERPTS,
    withBodies: true,
  });
  const rows = [...first.data];
  let last = first;
  if (first.next !== null && first.cursor !== null && first.data.length === EXCERPTS) {
    last = await read({ cursor: first.cursor, limit: INDEX_ROWS - EXCERPTS, withBodies: false });
    rows.push(...last.data);
  }
  // A list without rows has no cursor: the next call continues after the rows before it.
  const cursor = last.cursor ?? first.cursor ?? after;
  const next = nextCall({ kind, id: last.id, isMore: last.next !== null, cursor });
  return { ...jobState(kind, last), ...shapePages(rows), next };
}

/** Shapes a map: up to `INDEX_ROWS` URLs. */
export function shapeMap(map: MapEnvelope): ToolResult {
  const { data, totals, method, robots, next, cursor } = map;
  const urls = data.map(({ url, lastmod, section }) => ({ url, lastmod, section }));
  return {
    ...jobState('map', map),
    method,
    totals,
    robots: robots === null ? null : { found: robots.found, allowed: robots.allowed, crawlDelay: robots.crawlDelay },
    urls,
    truncated: next !== null,
    next: nextCall({ kind: 'map', id: map.id, isMore: next !== null, cursor }),
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
export async function readMap(client: Tidemark, id: string, options: { cursor?: string; signal: AbortSignal }) {
  const { cursor, signal } = options;
  const query = { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) };
  return await client.call('GET /map/{id}', { path: { id }, query, signal });
}
