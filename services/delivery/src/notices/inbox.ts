import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Notice, NoticeReader, NoticeStore } from './notice-store.ts';

const MAX_LISTED = 1_000;

export interface InboxDeps {
  readonly notices: Pick<NoticeStore, 'list' | 'dismiss'>;
  /** Members are written to: they find nothing here. */
  readonly isMailOn: boolean;
}

export interface ListNoticesRequest {
  /** Who asks; empty: a key, which has no inbox. */
  readonly memberId: string;
  readonly limit: number;
  readonly cursor: string;
}

/** What members find of what they would have been written of. */
export class Inbox {
  readonly #deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** What the member has not dismissed, newest first. */
  async list(
    caller: Caller,
    { memberId, limit, cursor }: ListNoticesRequest,
  ): Promise<{ notices: Notice[]; next: string }> {
    const { notices, isMailOn } = this.#deps;
    if (memberId === '' || isMailOn) return { notices: [], next: '' };
    const max = limit <= 0 ? MAX_LISTED : Math.min(limit, MAX_LISTED);
    const found = await notices.list(readerOf(caller, memberId), cursor, max + 1);
    const page = found.slice(0, max);
    return { notices: page, next: found.length > max ? (page.at(-1)?.id ?? '') : '' };
  }

  /** @throws AppError not_found, whether it is nobody's or another's */
  async dismiss(caller: Caller, { memberId, id }: { readonly memberId: string; readonly id: string }): Promise<void> {
    const isThere = memberId !== '' && (await this.#deps.notices.dismiss(readerOf(caller, memberId), id));
    if (!isThere) throw new AppError('not_found', 'there is no such notice');
  }
}

const readerOf = ({ workspaceId, projects }: Caller, memberId: string): NoticeReader => ({
  workspaceId,
  projects,
  memberId,
});
