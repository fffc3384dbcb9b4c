import type { StopReason } from '@tidemark/contracts';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import type { Job } from '@tidemark/contracts/scrape/v1/scrape';
import { sealCursor } from '@tidemark/results';
import type { EventData } from '@tidemark/webhook-events';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import type { ApiLinks } from './api-links.ts';
import { composeMessage, isoOf, isSubscribed, required } from './compose-message.ts';

/** The webhook of one job and its subscriptions. */
export interface JobWebhook {
  readonly receiver: MessageReceiver;
  /** Empty: all of them. */
  readonly events: readonly string[];
  /** JSON that is echoed; empty: none. */
  readonly metadataJson?: string | undefined;
}

/** Opens the sealed URL of a job's webhook. @throws Error if its sealing key is not configured */
export type OpenUrl = (sealedUrl: Uint8Array, jobId: string) => string;

/** Returns the receiver of a job's webhook. */
export const jobReceiver = (
  workspaceId: string,
  jobId: string,
  { url, sealedSecret }: { readonly url: string; readonly sealedSecret: Uint8Array },
): MessageReceiver => ({
  id: jobId,
  workspaceId,
  projectId: '',
  kind: 'webhook',
  service: '',
  url,
  sealedSecret: Buffer.from(sealedSecret),
});

type State = EventData<'crawl.completed'>;

/** What all messages of one moment share. */
interface Composing {
  readonly at: Date;
  readonly links: ApiLinks;
}

/** Default page size of lists. */
const PAGES_PER_LINK = 25;

/** The link to the results of a job, and that to its first pages where more are to come. */
type StateLinks = Pick<State, 'results' | 'next'>;

interface StateParts {
  readonly kind: string;
  /** Why the job stopped; undefined: it names no reason. */
  readonly stop: StopReason | undefined;
  readonly links: StateLinks;
}

function stateOf(job: Run | Job, { kind, stop, links }: StateParts): State {
  const { id, done, total, queued, creditsUsed, counts } = job;
  return {
    id,
    kind,
    status: job.status,
    progress: { done, total, queued },

    creditsUsed,
    counts,
    stop: stop ?? null,
    error: job.error ?? null,
    ...links,
    createdAt: isoOf(job.createdAt),
    finishedAt: job.finishedAt === undefined ? null : isoOf(job.finishedAt),
  };
}

/** Composes the messages to the webhook of a crawl. */
export function crawlMessages({ receiver, events, metadataJson }: JobWebhook, run: Run, { at, links }: Composing) {
  const around = { receiver, runId: run.id, at, metadataJson, about: { job: { id: run.id, kind: 'crawl' } } };
  const results = links.job('crawl', run.id);
  const list = { workspaceId: receiver.workspaceId, path: `/crawl/${run.id}` };
  const fromCursor = (after: number) => (after === 0 ? '' : `&cursor=${sealCursor(list, String(after))}`);
  const pagesAfter = (after: number, limit: number) => `${results}?limit=${limit}${fromCursor(after)}`;
  const state = (event: 'crawl.started' | 'crawl.completed' | 'crawl.failed'): NewMessage[] =>
    isSubscribed(events, event)
      ? [
          composeMessage({
            ...around,
            event,
            key: `${run.id}:${event}`,
            data: stateOf(run, {
              kind: 'crawl',
              stop: run.stop,
              links: { results, next: event === 'crawl.started' ? results : null },
            }),
          }),
        ]
      : [];
  return {
    started: () => state('crawl.started'),
    ended: () => state(run.status === 'done' ? 'crawl.completed' : 'crawl.failed'),
    /** Pages that ended after the page with the number `after`; `isLast`: none follows them. */
    pages: (after: number, pages: readonly RunPage[], isLast: boolean): NewMessage[] =>
      pages.length === 0 || !isSubscribed(events, 'crawl.page')
        ? []
        : [
            composeMessage({
              ...around,
              event: 'crawl.page',
              key: `${run.id}:crawl.page:${after}`,
              data: {
                pages: pages.map(toPage),
                results: pagesAfter(after, pages.length),
                next: isLast ? null : pagesAfter(pages.at(-1)?.number ?? after, PAGES_PER_LINK),
              },
            }),
          ],
  };
}

const toPage = ({ number, url = '', httpStatus, verdict, errorCode, credits = 0, ...page }: RunPage) => ({
  number,
  url,
  httpStatus: httpStatus ?? null,
  credits,
  verdict: required(verdict, 'verdict'),
  errorCode: required(errorCode, 'error code'),
  depth: page.depth,
  foundVia: page.foundVia,
});

/** Composes the messages to the webhook of an ended batch: batch.finished last, and before it the other event of its end if that is listed. */
export function batchMessages(
  { receiver, events, metadataJson }: JobWebhook,
  job: Job,
  { at, links }: Composing,
): NewMessage[] {
  const ending = job.status === 'done' ? ('scrape.completed' as const) : ('scrape.failed' as const);
  const data = stateOf(job, {
    kind: 'batch',
    stop: undefined,
    links: { results: links.job('scrape', job.id), next: null },
  });
  const about = { job: { id: job.id, kind: 'batch' } };
  const around = { receiver, runId: job.id, at, about, data, metadataJson };
  return [...(events.includes(ending) ? [ending] : []), 'batch.finished' as const].map((event) =>
    composeMessage({ ...around, event, key: `${job.id}:${event}` }),
  );
}
