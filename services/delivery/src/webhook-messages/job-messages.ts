import { ERROR_CODES, type EventData, type EventName, JOB_STATUSES, sealCursor, VERDICTS } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import type { Job } from '@tidemark/contracts/scrape/v1/scrape';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import { composeMessage, isoOf, isSubscribed, oneOf } from './compose-message.ts';

/** The webhook of one job and its subscriptions. */
export interface JobWebhook {
  readonly receiver: MessageReceiver;
  /** Empty: all of them. */
  readonly events: readonly string[];
  /** JSON that is echoed; empty: none. */
  readonly metadataJson: string;
}

/** Returns the receiver of a job's webhook. */
export const jobReceiver = (
  workspaceId: string,
  jobId: string,
  { url, sealedSecret }: { readonly url: string; readonly sealedSecret: Uint8Array },
): MessageReceiver => ({
  ...{ id: jobId, workspaceId, projectId: '', kind: 'webhook', service: '', url },
  sealedSecret: Buffer.from(sealedSecret),
});

type State = EventData<'crawl.completed'>;

function stateOf(job: Run | Job, kind: string, next: string): State {
  const { id, done, total, queued, creditsUsed, counts } = job;
  return {
    ...{ id, kind, status: oneOf(JOB_STATUSES, job.status, 'job status'), progress: { done, total, queued } },
    ...{ creditsUsed, counts, stop: job.stop ?? null, error: job.error ?? null, next },
    createdAt: isoOf(job.createdAt),
    finishedAt: job.finishedAt === undefined ? null : isoOf(job.finishedAt),
  };
}

/** Composes the messages to the webhook of a crawl. */
export function crawlMessages({ receiver, events, metadataJson }: JobWebhook, run: Run, at: Date) {
  const around = { receiver, runId: run.id, at, metadataJson, about: { job: { id: run.id, kind: 'crawl' } } };
  const path = `/v1/crawl/${run.id}`;
  const list = { workspaceId: receiver.workspaceId, path: `/crawl/${run.id}` };
  const fromCursor = (after: number) => (after === 0 ? '' : `&cursor=${sealCursor(list, String(after))}`);
  const state = (event: 'crawl.started' | 'crawl.completed' | 'crawl.failed'): NewMessage[] =>
    isSubscribed(events, event)
      ? [
          composeMessage({
            ...around,
            event,
            key: `${run.id}:${event}`,
            data: stateOf(run, 'crawl', path),
          }),
        ]
      : [];
  return {
    started: () => state('crawl.started'),
    ended: () => state(run.status === 'done' ? 'crawl.completed' : 'crawl.failed'),
    /** Pages that ended after the page with the number `after`. */
    pages: (after: number, pages: readonly RunPage[]): NewMessage[] =>
      pages.length === 0 || !isSubscribed(events, 'crawl.page')
        ? []
        : [
            composeMessage({
              ...around,
              event: 'crawl.page',
              key: `${run.id}:crawl.page:${after}`,
              data: { pages: pages.map(toPage), next: `${path}?limit=${pages.length}${fromCursor(after)}` },
            }),
          ],
  };
}

const toPage = ({ number, url = '', httpStatus = 0, verdict = '', errorCode = '', credits = 0, ...page }: RunPage) => ({
  ...{ number, url, httpStatus: httpStatus === 0 ? null : httpStatus, credits },
  verdict: oneOf(VERDICTS, verdict, 'verdict'),
  errorCode: oneOf(ERROR_CODES, errorCode, 'error code'),
  ...{ depth: page.depth, foundVia: page.foundVia },
});

/** Composes the messages to the webhook of an ended batch. */
export function batchMessages(receiver: MessageReceiver, job: Job, at: Date): NewMessage[] {
  const ending: EventName = job.status === 'done' ? 'scrape.completed' : 'scrape.failed';
  const data = stateOf(job, 'batch', `/v1/scrape/${job.id}`);
  const about = { job: { id: job.id, kind: 'batch' } };
  return (['batch.finished', ending] as const).map((event) =>
    composeMessage({ event, key: `${job.id}:${event}`, receiver, runId: job.id, at, about, data, metadataJson: '' }),
  );
}
