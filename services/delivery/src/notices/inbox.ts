import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Notice, NoticeStore, Reader } from './notice-store.ts';

const MOST_LISTED = 1_000;

export interface InboxDeps {
  readonly notices: Pick<NoticeStore, 'list' | 'dismiss'>;
  /** Members are written to: they find nothing here. */
  readonly isMailOn: boolean;
}

export interface NoticesWanted {
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
  async list(caller: Caller, { memberId, limit, cursor }: NoticesWanted): Promise<{ notices: Notice[]; next: string }> {
    const { notices, isMailOn } = this.#deps;
    if (memberId === '' || isMailOn) return { notices: [], next: '' };
    const wanted = limit <= 0 ? MOST_LISTED : Math.min(limit, MOST_LISTED);
    const found = await notices.list(readerOf(caller, memberId), cursor, wanted + 1);
    const told = found.slice(0, wanted);
    return { notices: told, next: found.length > wanted ? (told.at(-1)?.id ?? '') : '' };
  }

  /** @throws AppError not_found, whether it is nobody's or another's */
  async dismiss(caller: Caller, { memberId, id }: { readonly memberId: string; readonly id: string }): Promise<void> {
    const isThere = memberId !== '' && (await this.#deps.notices.dismiss(readerOf(caller, memberId), id));
    if (!isThere) throw new AppError('not_found', 'there is no such notice');
  }
}

const readerOf = ({ workspaceId, projects }: Caller, memberId: string): Reader => ({ workspaceId, projects, memberId });
