import { routes } from '@tidemark/api';
import {
  ArchiveServiceService as Archive,
  type FoundInterval,
  type FoundVersions,
  type PageKeys,
  type ScanPosition,
} from '@tidemark/contracts/archive/v1/archive';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { pageKeys } from '@tidemark/web-url';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireProject } from '../../queries/require-project.ts';
import { timeOf } from '../../responses/job-envelope.ts';

/** Projects that one request searches, the newest ones. */
const MAX_PROJECTS = 200;
/** Time of a request, ms: what was searched until then is stated. */
const WITHIN_MS = 10_000;
const CALL_MS = 15_000;
const AT_ONCE = 25;

export interface CitePeers {
  readonly projects: Peer;
  readonly archive: Peer;
}

/** A page that contained a quote, and the interval in which it did. */
interface Cited {
  readonly projectId: string;
  readonly page: FoundVersions;
  readonly interval: FoundInterval;
}

interface Totals {
  versions: number;
  projects: number;
  withoutBody: number;
  isComplete: boolean;
}

/** Verifies whether stored pages contain a quote, or contained it. */
export function citeEndpoint({ projects, archive }: CitePeers): Endpoint {
  return endpoint(routes.verifyCite, async ({ body, call, requestId }) => {
    const { quote, url, project_id: projectId } = body;
    const at = body.at === undefined ? undefined : new Date(body.at);
    const searched = await searchedProjects(projects, projectId, call);
    const totals: Totals = { versions: 0, projects: 0, withoutBody: 0, isComplete: searched.length < MAX_PROJECTS };
    const query = { q: phraseOf(quote), page: url === undefined ? undefined : { urlKeys: pageKeys(url) } };
    let best: Cited | undefined;
    const untilMs = performance.now() + WITHIN_MS;
    for (const id of searched) {
      if (performance.now() > untilMs) totals.isComplete = false;
      if (performance.now() > untilMs || (best !== undefined && isSaid(best, at))) break;
      totals.projects += 1;
      best = better(best, await searchProject(archive, { id, at, untilMs, ...query }, totals, call), at);
    }
    return { status: 200, body: { ...toCite(best, at), ...toTotals(totals), creditsUsed: 0, request_id: requestId } };
  });
}

const toTotals = ({ isComplete: complete, ...counts }: Totals) => ({ ...counts, complete });

/** Returns the projects to search: the named one, or the newest that the key may read. */
async function searchedProjects(
  projects: Peer,
  projectId: string | undefined,
  call: CallContext,
): Promise<readonly string[]> {
  if (projectId !== undefined) return [(await requireProject(projects, projectId, call)).id];
  const listed = await projects.call(Projects.listProjects, { limit: MAX_PROJECTS, withConfig: false }, call);
  return listed.projects.map(({ id }) => id);
}

/** Writes a quote as a phrase of a search. */
const phraseOf = (quote: string): string => `"${quote.replaceAll('"', ' ')}"`;

interface ProjectSearch {
  readonly id: string;
  readonly q: string;
  readonly page: PageKeys | undefined;
  readonly at: Date | undefined;
  readonly untilMs: number;
}

/** Searches the versions of a project until a page says the quote, or the time is over. */
async function searchProject(
  archive: Peer,
  { id: projectId, q, page, at, untilMs }: ProjectSearch,
  totals: Totals,
  call: CallContext,
): Promise<Cited | undefined> {
  let best: Cited | undefined;
  let after: ScanPosition | undefined;
  do {
    const request = { projectId, q, page, until: at, after, limit: AT_ONCE };
    const found = await archive.call(Archive.searchVersions, request, call, { deadlineMs: CALL_MS });
    totals.versions += found.scanned;
    totals.withoutBody += found.withoutBody;
    if (found.completeSince !== undefined) totals.isComplete = false;
    for (const one of found.pages)
      for (const interval of one.intervals) best = better(best, { projectId, page: one, interval }, at);
    after = found.last;
    if (best !== undefined && isSaid(best, at)) return best;
    if (performance.now() > untilMs && after !== undefined) totals.isComplete = false;
  } while (after !== undefined && performance.now() <= untilMs);
  return best;
}

/** Whether a page contains the quote: its newest reading does, or that of the requested time did. */
function isSaid({ interval: { since, goneAt } }: Cited, at: Date | undefined): boolean {
  if (at === undefined) return goneAt === undefined;
  return since !== undefined && since <= at && (goneAt === undefined || at < goneAt);
}

/** Returns the page that says the quote, or else said it last. */
function better(one: Cited | undefined, other: Cited | undefined, at: Date | undefined): Cited | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (isSaid(one, at) !== isSaid(other, at)) return isSaid(one, at) ? one : other;
  return lastSeen(other) > lastSeen(one) ? other : one;
}

const lastSeen = ({ interval: { last } }: Cited): number => last?.crawledAt?.getTime() ?? 0;

const NEVER = {
  status: 'never_said',
  url: null,
  title: null,
  projectId: null,
  runId: null,
  pageId: null,
  firstSeen: null,
  lastSeen: null,
  goneSeen: null,
  excerpt: null,
} as const;

function toCite(cited: Cited | undefined, at: Date | undefined) {
  if (cited === undefined) return NEVER;
  const { projectId, page, interval } = cited;
  const { first, last, since, goneAt, excerpts } = interval;
  const row = page.page?.page?.row;
  if (first === undefined || last === undefined || row === undefined)
    throw new AppError('internal', 'archive returned an interval without readings');
  return {
    status: isSaid(cited, at) ? ('said' as const) : ('said_until' as const),
    url: row.url,
    title: row.title ?? null,
    projectId,
    runId: first.runId,
    pageId: first.pageId,
    firstSeen: timeOf(since ?? first.crawledAt),
    lastSeen: timeOf(last.crawledAt),
    goneSeen: goneAt === undefined ? null : timeOf(goneAt),
    excerpt: excerpts[0]?.text ?? null,
  };
}
