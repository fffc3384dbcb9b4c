import { pathOf } from '../domain/section.ts';
import type { Row } from '../domain/tree.ts';
import { UrlTable } from '../domain/url-table.ts';

export interface EntryQuery {
  /** Only URLs whose path starts with this text. */
  readonly prefix: string;
  /** Only URLs that contain this text, ignoring case. */
  readonly q: string;
  readonly after: number;
  readonly limit: number;
}

const MAX_FOLDERS = 5_000;
const MAX_FOLDERS_RETURNED = 100;

/** Builds one page of a list from a stream of entries: counts all matches, keeps the rows of the page, counts the matches per folder. */
export class EntryPage {
  readonly #query: EntryQuery;
  readonly #q: string;
  readonly #seen: UrlTable | undefined;
  readonly #rows: Row[] = [];
  readonly #folders = new Map<string, number>();
  #total = 0;

  constructor(query: EntryQuery, mayContainDuplicates: boolean) {
    this.#query = query;
    this.#q = query.q.toLowerCase();
    this.#seen = mayContainDuplicates ? new UrlTable() : undefined;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#query.limit;
  }

  add(url: string, row: () => Row): void {
    const path = pathOf(url);
    const { prefix, after } = this.#query;
    if (!path.startsWith(prefix) || (this.#q !== '' && !url.toLowerCase().includes(this.#q))) return;
    if (this.#seen?.add(url) === false) return;
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
      .slice(0, MAX_FOLDERS_RETURNED);
    return { rows: this.#rows, total: this.#total, prefixes };
  }
}
