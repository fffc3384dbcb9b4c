import { type PageVersions, routes } from '@tidemark/api';
import { ArchiveServiceService as Archive, type TextVersion } from '@tidemark/contracts/archive/v1/archive';
import { DiffServiceService as Diff, type WordChanges } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { PageFinder } from '../../queries/page-finder.ts';
import { PageHistory } from '../../queries/page-history.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toBlame } from '../../responses/page-blame.ts';

export interface HistoryPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

/** Deadline of the comparisons of one list, ms; longer than the time limit in diff. */
const COUNT_MS = 20_000;

/** Deadline of the history of a page, ms; longer than the time limit in diff. */
const BLAME_MS = 30_000;

/** Endpoints of the history of a page. */
export function historyEndpoints({ projects, crawl, archive, diff }: HistoryPeers): Endpoint[] {
  const history = new PageHistory({ projects, archive }, new PageFinder(crawl, archive));

  /** Returns how many words each version adds to the one before it and removes from it. */
  async function countWords(projectId: string, versions: readonly TextVersion[], call: CallContext) {
    const pairs = versions.flatMap(({ first, replaced }) =>
      first === undefined || replaced === undefined
        ? []
        : [
            {
              beforeRunId: replaced.runId,
              beforePageId: replaced.pageId,
              afterRunId: first.runId,
              afterPageId: first.pageId,
            },
          ],
    );
    if (pairs.length === 0) return new Map<string, WordChanges>();
    const { changes } = await diff.call(Diff.countWordChanges, { projectId, pairs }, call, { deadlineMs: COUNT_MS });
    return new Map(
      pairs.flatMap(({ afterPageId }, at) => (changes[at] === undefined ? [] : [[afterPageId, changes[at]]])),
    );
  }

  return [
    endpoint(routes.listPageVersions, async ({ params, query, baseUrl, call, requestId, cursors }) => {
      const { url, limit } = query;
      const before = cursors.openId('cap', query.cursor);
      const { projectId, found } = await history.read({ id: params.id, url }, call, async (page) => ({
        projectId: page.projectId,
        found: await archive.call(
          Archive.listVersions,
          { ...page, limit, ...(before === '' ? {} : { beforePageId: before }) },
          call,
        ),
      }));
      const words = await countWords(projectId, found.versions, call);
      const data = found.versions.map((version) => toVersion(version, words));
      const path = `${baseUrl}/projects/${projectId}/pages/versions?url=${encodeURIComponent(url)}&limit=${limit}`;
      const body = {
        data,
        ...cursors.nextPage(path, found.isMore ? data.at(-1)?.pageId : undefined),
        unread: found.unread.map(({ from, to, verdict, readings }) => ({
          from: timeOf(from),
          to: timeOf(to),
          verdict,
          readings,
        })),
        completeSince: found.completeSince === undefined ? null : timeOf(found.completeSince),
        creditsUsed: 0,
        request_id: requestId,
      } satisfies PageVersions;
      return { status: 200, body };
    }),

    endpoint(routes.getPageBlame, async ({ params, query, call, requestId }) => {
      const at = query.at === undefined ? undefined : new Date(query.at);
      const blame = await history.read({ id: params.id, url: query.url }, call, (page) =>
        diff.call(Diff.blamePage, { ...page, at }, call, { deadlineMs: BLAME_MS }),
      );
      return { status: 200, body: toBlame(blame, { withWords: query.words, requestId }) };
    }),
  ];
}

function toVersion(version: TextVersion, words: ReadonlyMap<string, WordChanges>): PageVersions['data'][number] {
  const { first, last, since, sameAs } = version;
  if (first === undefined || last === undefined)
    throw new AppError('internal', 'the archive returned a version without its readings');
  const changes = words.get(first.pageId);
  return {
    runId: first.runId,
    pageId: first.pageId,
    firstSeen: timeOf(since),
    lastSeen: timeOf(last.crawledAt),
    lastRunId: last.runId,
    readings: version.readings,
    verdict: version.verdict,
    words: version.words,
    wordsAdded: changes?.wordsAdded ?? null,
    wordsRemoved: changes?.wordsRemoved ?? null,
    language: version.language ?? null,
    hasHtml: version.hasHtml,
    sameAs: sameAs?.runId ?? null,
  };
}
