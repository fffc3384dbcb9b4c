import { type IdPrefix, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type ListScope, openCursor, sealCursor } from '@tidemark/results';

/** The end of a list response: where the following page is. */
export interface NextPage {
  readonly next: string | null;
  readonly cursor: string | null;
}

export const NO_NEXT_PAGE: NextPage = { next: null, cursor: null };

/** Returns the following page of a list whose cursor is the number of items before it. `url` has a query. */
export const nextOffsetPage = (url: string, offset: number | undefined): NextPage =>
  offset === undefined ? NO_NEXT_PAGE : { next: `${url}&cursor=${offset}`, cursor: String(offset) };

/** The same fields of a list that is always returned whole. */
export const WHOLE_LIST = { next: null, cursor: null } as const;

/** Returns the position after an item of a list that can be sorted; `sort` empty: its default order. */
export const sortedPosition = (sort: string, number: number): string =>
  sort === '' ? `${number}` : `${sort}:${number}`;

/** The cursors of one list of one workspace. A cursor of another list or workspace, or a changed one, is refused with 422. */
export class ListCursors {
  readonly #list: ListScope;
  readonly #where: 'query' | 'body';

  constructor(list: ListScope, where: 'query' | 'body' = 'query') {
    this.#list = list;
    this.#where = where;
  }

  /** Returns the position of a cursor; undefined for the first page. @throws AppError validation (422) */
  open(cursor: string, isPosition: (position: string) => boolean = () => true): string | undefined {
    if (cursor === '') return undefined;
    const position = openCursor(this.#list, cursor);
    if (position === undefined || !isPosition(position)) throw this.refusal();
    return position;
  }

  /** Returns the id of the last item of the previous page; undefined for the first page. @throws AppError validation (422) */
  openId(prefix: IdPrefix, cursor: string): string | undefined {
    return this.open(cursor, (position) => isId(prefix, position));
  }

  /** Returns the number of the last item of the previous page; 0 for the first page. @throws AppError validation (422) */
  openNumber(cursor: string): number {
    return Number(this.open(cursor, (position) => /^\d{1,9}$/.test(position)) ?? 0);
  }

  /** Returns the number of the last item of the previous page in the same order; 0 for the first page. @throws AppError validation (422) */
  openSorted(sort: string, cursor: string): number {
    const position = this.open(cursor, (text) => text.startsWith(`${sort}:`) && /:\d{1,9}$/.test(text));
    return Number(position?.slice(sort.length + 1) ?? 0);
  }

  seal(position: string | number): string {
    return sealCursor(this.#list, String(position));
  }

  /** Returns the following page of a list. `url` has a query. Undefined: this is the last page. */
  nextPage(url: string, position: string | number | undefined): NextPage {
    if (position === undefined) return NO_NEXT_PAGE;
    const cursor = this.seal(position);
    return { next: `${url}&cursor=${cursor}`, cursor };
  }

  refusal(): AppError {
    const msg = 'expected the `cursor` of an earlier response of this list';
    return new AppError('validation', `cursor: ${msg}`, {
      detail: [{ loc: [this.#where, 'cursor'], msg, type: 'invalid_cursor' }],
    });
  }
}
