import type { FoundPages, routes } from '@tidemark/api';
import {
  ArchiveServiceService as Archive,
  type Excerpt,
  type FoundInterval,
  type FoundVersions,
  type ScanPosition,
} from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { z } from 'zod';
import type { EndpointRequest } from '../../http/endpoint.ts';
import { requirePage } from '../../queries/page-finder.ts';
import { requireProject } from '../../queries/require-project.ts';
import type { ListCursors } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { missingBodiesNote } from '../../responses/missing-bodies.ts';
import { projectPageLinks } from '../../responses/page-row.ts';
import { toCrawlRow } from '../../responses/run-envelope.ts';

/** Deadline of one search call, ms. */
const SEARCH_MS = 15_000;
/** Position of a search: a run, and the number of its last page that was scanned. */
const POSITION = /^versions\.(run_\w{26})\.(\d{1,9})$/;

/** Returns the refusal of a field that does not suit the others of a search. */
export const refusedField = (field: string, msg: string): AppError =>
  new AppError('validation', `${field}: ${msg}`, { detail: [{ loc: ['body', field], msg, type: 'search_refused' }] });

export const toExcerpt = ({ text, marks }: Excerpt): FoundPages['data'][number]['excerpts'][number] => ({
  text,
  marks: marks.flatMap((from, at) => (at % 2 === 0 ? [{ from, to: marks[at + 1] ?? from }] : [])),
});

type Route = typeof routes.searchPages;
type SearchRequest = EndpointRequest<z.output<Route['params']>, z.output<Route['query']>, z.output<Route['body']>>;

/** Searches every stored version of the pages of a project. */
export async function searchVersions(
  { projects, archive }: { readonly projects: Peer; readonly archive: Peer },
  { params, body, baseUrl, call, requestId, cursors }: SearchRequest,
) {
  const { q, mode, limit, run_id: runId } = body;
  if (mode !== 'content') throw refusedField('mode', 'versions are searched for words, not by selector');
  if (runId !== undefined) throw refusedField('run_id', 'versions are of all runs');
  const after = positionIn(cursors, body.cursor);
  const { id: projectId } = await requireProject(projects, params.id, call);
  const [since, until] = [dateOf(body.since), dateOf(body.until)];
  const request = { projectId, q, since, until, after, limit };
  const found = await archive.call(Archive.searchVersions, request, call, { deadlineMs: SEARCH_MS });
  const cursor = found.last === undefined ? null : cursors.seal(`versions.${found.last.runId}.${found.last.number}`);
  const response: FoundPages = {
    data: found.pages.map((page) => toFound(page, baseUrl, projectId)),
    next: cursor,
    cursor,
    runId: null,
    scanned: found.scanned,
    withoutBody: found.withoutBody,
    total: null,
    completeSince: found.completeSince === undefined ? null : timeOf(found.completeSince),
    note: missingBodiesNote(found.withoutBody, 'markdown'),
    creditsUsed: 0,
    request_id: requestId,
  };
  return { status: 200 as const, body: response };
}

const dateOf = (time: z.output<Route['body']>['since']): Date | undefined =>
  time === undefined ? undefined : new Date(time);

function positionIn(cursors: ListCursors, cursor: string): ScanPosition | undefined {
  const position = cursors.open(cursor);
  if (position === undefined) return undefined;
  const [, runId, number] = POSITION.exec(position) ?? [];
  if (runId === undefined) throw cursors.refusal();
  return { runId, number: Number(number) };
}

function toFound(
  { page, runId, intervals }: FoundVersions,
  baseUrl: string,
  projectId: string,
): FoundPages['data'][number] {
  const links = projectPageLinks(baseUrl, { id: runId, projectId });
  const [newest] = intervals;
  return {
    ...toCrawlRow(requirePage(page ?? {}), [], links),
    matches: newest?.matches ?? 0,
    excerpts: newest?.excerpts.map(toExcerpt) ?? [],
    intervals: intervals.map(toInterval),
  };
}

function toInterval({ first, last, since, goneAt, matches, excerpts }: FoundInterval) {
  if (first === undefined || last === undefined)
    throw new AppError('internal', 'archive returned an interval without readings');
  return {
    firstSeen: timeOf(since ?? first.crawledAt),
    lastSeen: timeOf(last.crawledAt),
    goneSeen: goneAt === undefined ? null : timeOf(goneAt),
    runId: first.runId,
    pageId: first.pageId,
    matches,
    excerpts: excerpts.map(toExcerpt),
  };
}
