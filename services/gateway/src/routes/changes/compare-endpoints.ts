import { routes } from '@tidemark/api';
import {
  type CompareMarkupResponse,
  type ReadingPair,
  DiffServiceService as Rpc,
} from '@tidemark/contracts/diff/v1/diff';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { oneOf } from '../one-of.ts';
import { PageFinder } from '../pages/page-finder.ts';
import { toBlock, toField } from './change-answer.ts';
import { ReadingFinder } from './two-readings.ts';

export interface ComparePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

const MARKUP_OPS = ['insert', 'remove', 'move', 'attr', 'text'] as const;
const SHORTFALLS = ['too_large', 'out_of_time'] as const;
/** Longer than the longest comparison. */
const COMPARE_MS = 40_000;

const around = ({ url, beforeRunId, beforePageId, afterRunId, afterPageId }: ReadingPair, requestId: string) => ({
  url,
  before: { runId: beforeRunId, pageId: beforePageId },
  after: { runId: afterRunId, pageId: afterPageId },
  creditsUsed: 0,
  request_id: requestId,
});

const toMarkup = ({ changes, noiseSuppressed, selectors, degraded, truncated }: CompareMarkupResponse) => ({
  changes: changes.map(({ op, selector, fromSelector, section, attribute, before, after }) => ({
    op: oneOf(MARKUP_OPS, op),
    selector,
    fromSelector: fromSelector || null,
    section: section || null,
    attribute: attribute || null,
    before: before ?? null,
    after: after ?? null,
  })),
  noiseSuppressed,
  selectors: selectors.map(({ suggestion, ...rest }) => ({ ...rest, suggestion: suggestion || null })),
  degraded: degraded === '' ? null : oneOf(SHORTFALLS, degraded),
  truncated,
});

/** Comparisons of two stored readings of one page. */
export function compareEndpoints({ projects, crawl, archive, diff }: ComparePeers): Endpoint[] {
  const finder = new ReadingFinder({ projects, archive }, new PageFinder(crawl, archive));
  return [
    endpoint(routes.comparePage, async ({ params, query, call, requestId }) => {
      const { url, run_id: runId, from } = query;
      const readings = await finder.find({ id: params.id, url, runId, from }, call);
      const delta = await diff.call(Rpc.comparePage, { readings }, call, { deadlineMs: COMPARE_MS });
      const body = { ...delta, blocks: delta.blocks.map(toBlock), fields: delta.fields.map(toField) };
      return { status: 200, body: { ...body, ...around(readings, requestId) } };
    }),

    endpoint(routes.compareMarkup, async ({ params, query, call, requestId }) => {
      const { url, run_id: runId, from } = query;
      const readings = await finder.find({ id: params.id, url, runId, from }, call);
      const delta = await diff.call(Rpc.compareMarkup, { readings }, call, { deadlineMs: COMPARE_MS });
      return { status: 200, body: { ...toMarkup(delta), ...around(readings, requestId) } };
    }),
  ];
}
