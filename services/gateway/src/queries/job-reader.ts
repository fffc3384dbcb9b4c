import { ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedId } from '../requests/checked-id.ts';

/** Maximum wait for a page that the archive has not received yet, ms. */
const PAGE_WAIT_MS = 2_000;
/** The same for a screenshot or another attachment, whose 404 is to come within two seconds. */
export const ATTACHMENT_WAIT_MS = 1_500;
/** Added to the requested wait to get the deadline of a gRPC call, ms. */
export const GRACE_MS = 5_000;

/** A range of completed pages. */
export interface Slice {
  /** Number of the last page already returned; 0 to start with the first. */
  readonly after: number;
  readonly limit: number;
  /** In the order of the input; by default in that of completion. */
  readonly inInputOrder?: boolean;
}

/** A page, and of a batch the inputs that it answers. */
export type ListedPage = Page & { readonly inputs?: readonly number[] };

export interface JobPages {
  readonly pages: readonly ListedPage[];
  /** Number of the last returned page. */
  readonly last: number;
  /** Whether there are, or will be, more pages. */
  readonly isMore: boolean;
}

export const isOver = ({ status }: Job): boolean => status === 'done' || status === 'error' || status === 'cancelled';

/** Reads jobs from scrape and their pages from the archive. */
export class JobReader {
  readonly #scrape: Peer;
  readonly #archive: Peer;

  constructor(scrape: Peer, archive: Peer) {
    this.#scrape = scrape;
    this.#archive = archive;
  }

  /** @throws AppError not_found if there is no such job of these kinds */
  async find(id: string, kinds: readonly string[], call: CallContext): Promise<Job> {
    const { job } = await this.#scrape.call(Rpc.getJob, { id: checkedId('job', id, 'job') }, call);
    if (job === undefined || !kinds.includes(job.kind)) throw new AppError('not_found', 'job not found');
    return job;
  }

  /** Returns completed pages of a job. */
  async pages(job: Job, slice: Slice, bodies: readonly string[], call: CallContext): Promise<JobPages> {
    if (job.kind !== 'batch') return this.#onlyPage(job, bodies, call);
    const { after, limit, inInputOrder = false } = slice;
    const request = { id: job.id, after, limit: limit + 1, inInputOrder };
    const { pages: ended } = await this.#scrape.call(Rpc.listEnded, request, call);
    const shown = ended.slice(0, limit);
    const ids = shown.map(({ pageId }) => pageId);
    const pages = ids.length === 0 ? [] : await this.#archived(job, ids, bodies, call);
    const isMore = ended.length > limit || !isOver(job);
    // A page that the archive lacks, and all pages after it, are left to the next request.
    const known = shown.slice(0, contiguous(pages, ids));
    return {
      pages: known.flatMap(({ inputs }, at) => (pages[at] === undefined ? [] : [{ ...pages[at], inputs }])),
      last: known.at(-1)?.number ?? after,
      isMore: isMore || known.length < shown.length,
    };
  }

  async #onlyPage(job: Job, bodies: readonly string[], call: CallContext): Promise<JobPages> {
    if (job.done === 0) return { pages: [], last: 0, isMore: false };
    return { pages: await this.#archived(job, [], bodies, call), last: 1, isMore: false };
  }

  async #archived(job: Job, ids: readonly string[], bodies: readonly string[], call: CallContext): Promise<Page[]> {
    const request = {
      jobId: job.id,
      cursor: '',
      limit: Math.max(1, ids.length),
      bodies: [...bodies],
      expect: Math.max(1, ids.length),
      waitMs: PAGE_WAIT_MS,
      ids: [...ids],
    };
    const options = { deadlineMs: PAGE_WAIT_MS + GRACE_MS };
    return (await this.#archive.call(ArchiveRpc.listPages, request, call, options)).pages;
  }

  /** Returns an attachment of a page. @throws AppError not_found */
  async attachment(job: Job, pageId: string, kind: 'screenshot' | 'evidence', call: CallContext): Promise<Buffer> {
    const request = { jobId: job.id, pageId, kind, waitMs: isOver(job) ? ATTACHMENT_WAIT_MS : 0 };
    const options = { deadlineMs: ATTACHMENT_WAIT_MS + GRACE_MS };
    return (await this.#archive.call(ArchiveRpc.readAttachment, request, call, options)).body;
  }
}

/** Returns the number of pages before the first missing one. */
function contiguous(pages: readonly Page[], ids: readonly string[]): number {
  const gap = ids.findIndex((id, at) => pages[at]?.row?.id !== id);
  return gap === -1 ? ids.length : gap;
}
