import type { BlobStore } from '@tidemark/blobs';
import { isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { makeListPages } from './list-pages.ts';

const ATTACHMENTS = ['screenshot', 'evidence'] as const;
export type Attachment = (typeof ATTACHMENTS)[number];

export const isAttachment = (name: string): name is Attachment => ATTACHMENTS.some((known) => known === name);

export interface AttachmentRequest {
  readonly workspaceId: string;
  readonly jobId: string;
  /** Empty: the job's first page. */
  readonly pageId: string;
  /** How long a page on its way here is waited for. */
  readonly waitMs: number;
}

/** Reads what is kept beside a page. @throws AppError not_found where there is no such page, or nothing of the kind beside it */
export function makeReadAttachment(deps: { listPages: ReturnType<typeof makeListPages>; blobs: BlobStore }) {
  return async ({ workspaceId, jobId, pageId, waitMs }: AttachmentRequest, kind: Attachment): Promise<Buffer> => {
    const missing = (): AppError => new AppError('not_found', `there is no ${kind} of this page`);
    // No page with another kind of id can arrive: it is not waited for.
    if (pageId !== '' && !isId('cap', pageId)) throw missing();
    const ids = pageId === '' ? [] : [pageId];
    const request = { workspaceId, jobId, cursor: '', limit: 1, bodies: [], expect: 1, waitMs, ids };
    const [page] = (await deps.listPages(request)).pages;
    const blob = page?.row?.[kind];
    if (blob === undefined) throw missing();
    return Buffer.from(await deps.blobs.get(blob.sha256));
  };
}
