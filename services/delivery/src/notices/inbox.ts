import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Notice, NoticeReader, NoticeStore } from '../store/notice-store.ts';

const MAX_LISTED = 1_000;

export interface InboxDeps {
  readonly notices: Pick<NoticeStore, 'list' | 'dismiss'>;
  /** Members receive mails; the inbox is empty. */
  readonly isMailOn: boolean;
}

export interface ListNoticesRequest {
  /** The calling member; undefined: an API key, which has no inbox. */
  readonly memberId?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The notices of members, in place of mails. */
export class Inbox {
  readonly #deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** Lists what the member has not dismissed, newest first. */
  async list(
    caller: Caller,
    { memberId, limit, cursor }: ListNoticesRequest,
  ): Promise<{ notices: Notice[]; next: string | undefined }> {
    const { notices, isMailOn } = this.#deps;
    if (memberId === undefined || isMailOn) return { notices: [], next: undefined };
    const max = limit <= 0 ? MAX_LISTED : Math.min(limit, MAX_LISTED);
    const found = await notices.list(readerOf(caller, memberId), cursor, max + 1);
    const page = found.slice(0, max);
    return { notices: page, next: found.length > max ? page.at(-1)?.id : undefined };
  }

  /** Dismisses a notice. @throws AppError not_found where the member can't see such a notice */
  async dismiss(
    caller: Caller,
    { memberId, id }: { readonly memberId?: string | undefined; readonly id: string },
  ): Promise<void> {
    const isThere = memberId !== undefined && (await this.#deps.notices.dismiss(readerOf(caller, memberId), id));
    if (!isThere) throw new AppError('not_found', 'notice not found');
  }
}

const readerOf = ({ workspaceId, access }: Caller, memberId: string): NoticeReader => ({
  workspaceId,
  access,
  memberId,
});
