import { pathOf } from '../domain/section.ts';
import type { Row } from '../domain/tree.ts';
import { UrlBook } from '../domain/url-book.ts';

export interface EntryWish {
  /** Only addresses whose path begins so. */
  readonly prefix: string;
  /** Only addresses that hold this text, whatever its case. */
  readonly q: string;
  readonly after: number;
  readonly limit: number;
}

const MAX_FOLDERS = 5_000;
const FOLDERS_TOLD = 100;

/** One page of a list that is read as a stream: counts all that match, keeps those of the page, and gathers the folders they are in. */
export class EntryWindow {
  readonly #wish: EntryWish;
  readonly #q: string;
  readonly #told: UrlBook | undefined;
  readonly #rows: Row[] = [];
  readonly #folders = new Map<string, number>();
  #total = 0;

  constructor(wish: EntryWish, mayRepeat: boolean) {
    this.#wish = wish;
    this.#q = wish.q.toLowerCase();
    this.#told = mayRepeat ? new UrlBook() : undefined;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#wish.limit;
  }

  take(url: string, row: () => Row): void {
    const path = pathOf(url);
    const { prefix, after } = this.#wish;
    if (!path.startsWith(prefix) || (this.#q !== '' && !url.toLowerCase().includes(this.#q))) return;
    if (this.#told?.add(url) === false) return;
    this.#total += 1;
    if (this.#total > after && !this.isFull) this.#rows.push(row());
    const end = path.indexOf('/', Math.max(prefix.length, 1));
    if (end >= 0) this.#count(path.slice(0, end + 1));
  }

  #count(folder: string): void {
    const known = this.#folders.get(folder);
    if (known !== undefined || this.#folders.size < MAX_FOLDERS) this.#folders.set(folder, (known ?? 0) + 1);
  }

  result() {
    const prefixes = [...this.#folders]
      .map(([prefix, urls]) => ({ prefix, urls }))
      .sort((a, b) => b.urls - a.urls || (a.prefix < b.prefix ? -1 : 1))
      .slice(0, FOLDERS_TOLD);
    return { rows: this.#rows, total: this.#total, prefixes };
  }
}
