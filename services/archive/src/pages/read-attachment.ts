import type { BlobStore } from '@tidemark/blobs';
import { isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { ListPages } from './list-pages.ts';

const ATTACHMENTS = ['screenshot', 'evidence'] as const;
export type Attachment = (typeof ATTACHMENTS)[number];

export const isAttachment = (name: string): name is Attachment => ATTACHMENTS.some((known) => known === name);

export interface AttachmentRequest {
  readonly workspaceId: string;
  readonly jobId: string;
  /** Undefined: the job's first page. */
  readonly pageId: string | undefined;
  /** Longest wait for a page that is not stored yet. */
  readonly waitMs: number;
}

/** Reads the screenshot or the evidence of a page. @throws AppError not_found without the page or the attachment */
export type ReadAttachment = (attachmentRequest: AttachmentRequest, kind: Attachment) => Promise<Buffer>;

export function makeReadAttachment({
  listPages,
  blobs,
}: {
  readonly listPages: ListPages;
  readonly blobs: BlobStore;
}): ReadAttachment {
  return async ({ workspaceId, jobId, pageId, waitMs }, kind) => {
    const missing = (): AppError => new AppError('not_found', `there is no ${kind} of this page`);
    // An id of another kind is never stored: it is not awaited.
    if (pageId !== undefined && !isId('cap', pageId)) throw missing();
    const ids = pageId === undefined ? [] : [pageId];
    const request = { workspaceId, jobId, limit: 1, bodies: [], expect: 1, waitMs, ids };
    const [page] = (await listPages(request)).pages;
    const blob = page?.row?.[kind];
    if (blob === undefined) throw missing();
    return Buffer.from(await blobs.get(blob.sha256));
  };
}
