import type { MapEnvelope, MapFile, MapRow } from '@tidemark/api';
import {
  type MapJob,
  type MapTotals,
  type RobotsReport,
  RowSource,
  type MapFile as WireFile,
  type MapRow as WireRow,
} from '@tidemark/contracts/map/v1/map';
import { z } from 'zod';
import { ListCursors } from '../requests/list-cursors.ts';

const StoredRows = z.array(
  z.object({
    url: z.string(),
    lastmod: z.string(),
    changefreq: z.string(),
    source: z.enum(RowSource),
    file: z.string(),
    section: z.string(),
  }),
);

/** Parses stored documents of map into rows. */
export const rowsIn = (documents: readonly Buffer[]): WireRow[] =>
  documents.flatMap((document) => StoredRows.parse(JSON.parse(document.toString('utf8'))));

export const toMapRow = ({ url, lastmod, changefreq, source, file, section }: WireRow): MapRow => ({
  url,
  lastmod: lastmod || null,
  changefreq: changefreq || null,
  source,
  file,
  section,
});

export const toMapFile = (file: WireFile): MapFile => ({
  url: file.url,
  parent: file.parent ?? null,
  foundBy: file.foundBy,
  kind: file.kind ?? null,
  verdict: file.verdict,
  status: file.httpStatus || null,
  bytes: file.bytes,
  urls: file.urls,
  alternates: file.alternates,
  foreign: file.foreign,
  section: file.section,
  lastmodFrom: file.lastmodFrom ?? null,
  lastmodTo: file.lastmodTo ?? null,
  error: file.error ?? null,
});

export function toRobots(robots: RobotsReport | undefined): MapEnvelope['robots'] {
  if (robots === undefined) return null;
  return { ...robots, status: robots.status || null, crawlDelay: robots.crawlDelay ?? null };
}

export const toTotals = ({ files = 0, urls = 0, indexes = 0, blocked = 0 }: Partial<MapTotals> = {}) => ({
  files,
  urls,
  indexes,
  blocked,
});

const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

/** The fields of a map envelope that depend on the request. */
export interface MapEnvelopeContext {
  readonly requestId: string;
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** Number of rows already returned. */
  readonly after: number;
  /** Number of rows per page of results. */
  readonly limit: number;
}

/** Converts a map with rows and files to its envelope. */
export function toMapEnvelope(
  job: MapJob,
  { rows, files }: { readonly rows: readonly WireRow[]; readonly files: readonly WireFile[] },
  { requestId, workspaceId, baseUrl, after, limit }: MapEnvelopeContext,
): MapEnvelope {
  const cursors = new ListCursors({ workspaceId, path: `/map/${job.id}` });
  const last = after + rows.length;
  return {
    id: job.id,
    kind: 'map',
    status: job.status,
    progress: { done: job.done, total: job.total, queued: Math.max(0, job.total - job.done) },
    creditsUsed: job.creditsUsed,
    counts: {},
    stop: job.stop ?? null,
    error: job.error ?? null,
    createdAt: timeOf(job.createdAt),
    finishedAt: job.finishedAt === undefined ? null : timeOf(job.finishedAt),
    data: rows.map(toMapRow),
    ...cursors.nextPage(`${baseUrl}/map/${job.id}?limit=${limit}`, last < job.rows ? last : undefined),
    request_id: requestId,
    totals: toTotals(job.totals),
    robots: toRobots(job.robots),
    method: job.method ?? null,
    files: files.map(toMapFile),
  };
}
