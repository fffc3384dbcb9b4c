import { routes } from '@tidemark/api';
import {
  type CompareMarkupResponse,
  type ReadingPair,
  DiffServiceService as Rpc,
} from '@tidemark/contracts/diff/v1/diff';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { PageFinder } from '../../queries/page-finder.ts';
import { PageHistory, type PageRef } from '../../queries/page-history.ts';
import { isMoment } from '../../requests/moment.ts';
import { refuseTogether } from '../../requests/refuse-together.ts';
import { oneOf } from '../../responses/one-of.ts';
import { toComparedBlock, toField } from './change-response.ts';
import { type FoundPair, ReadingFinder } from './two-readings.ts';

export interface ComparePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

const MARKUP_OPS = ['insert', 'remove', 'move', 'attr', 'text'] as const;
/** Deadline of a comparison, ms; longer than the time limit in diff. */
const COMPARE_MS = 40_000;

const readingFields = ({ url, beforeRunId, beforePageId, afterRunId, afterPageId }: FoundPair, requestId: string) => ({
  url,
  before: { runId: beforeRunId, pageId: beforePageId },
  after: { runId: afterRunId, pageId: afterPageId },
  creditsUsed: 0,
  request_id: requestId,
});

/** A page that was added has no earlier reading, one that was removed no later one. */
const presentReadings = ({ beforeRunId, beforePageId, afterRunId, afterPageId }: ReadingPair) => ({
  before: beforePageId === undefined ? null : { runId: beforeRunId, pageId: beforePageId },
  after: afterPageId === undefined ? null : { runId: afterRunId, pageId: afterPageId },
});

const toMarkup = ({ changes, noiseSuppressed, selectors, degraded, truncated }: CompareMarkupResponse) => ({
  changes: changes.map(({ op, selector, fromSelector, section, attribute, before, after }) => ({
    op: oneOf(MARKUP_OPS, op),
    selector,
    fromSelector: fromSelector || null,
    section: section ?? null,
    attribute: attribute || null,
    before: before ?? null,
    after: after ?? null,
  })),
  noiseSuppressed,
  selectors: selectors.map(({ suggestion, ...rest }) => ({ ...rest, suggestion: suggestion ?? null })),
  degraded: degraded ?? null,
  truncated,
});

/** Endpoints that compare two stored readings of a page. */
export function compareEndpoints({ projects, crawl, archive, diff }: ComparePeers): Endpoint[] {
  const pages = new PageFinder(crawl, archive);
  const finder = new ReadingFinder({ projects, archive, diff }, pages);
  const history = new PageHistory({ projects, archive }, pages);

  /** Returns the run that a run id, or the time of a reading, names. */
  const runOf = async (page: PageRef, named: string | undefined, call: CallContext): Promise<string | undefined> =>
    named === undefined || !isMoment(named) ? named : (await history.readingAt(page, named, call)).runId;

  return [
    endpoint(routes.comparePage, async ({ params, query, call, requestId }) => {
      refuseTogether(query, 'to', 'run_id');
      const page = { id: params.id, url: query.url };
      const [from, runId] = await Promise.all([
        runOf(page, query.from, call),
        runOf(page, query.to ?? query.run_id, call),
      ]);
      const readings = await finder.findOrAbsent({ ...page, runId, from }, call);
      const request = { readings, withUnchanged: query.unchanged };
      const delta = await diff.call(Rpc.comparePage, request, call, { deadlineMs: COMPARE_MS });
      const body = { ...delta, blocks: delta.blocks.map(toComparedBlock), fields: delta.fields.map(toField) };
      return {
        status: 200,
        body: { ...body, url: page.url, ...presentReadings(readings), creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.compareMarkup, async ({ params, query, call, requestId }) => {
      const { url, run_id: runId, from } = query;
      const readings = await finder.find({ id: params.id, url, runId, from }, call);
      const delta = await diff.call(Rpc.compareMarkup, { readings }, call, { deadlineMs: COMPARE_MS });
      return { status: 200, body: { ...toMarkup(delta), ...readingFields(readings, requestId) } };
    }),
  ];
}
