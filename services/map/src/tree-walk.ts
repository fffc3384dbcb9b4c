import { siteKey } from './domain/scope.ts';
import { isRead, type SiteFile, type Source, type Stop } from './domain/tree.ts';
import type { Purse } from './purse.ts';
import { type FileOrder, type FileRead, type ReadFileDeps, readFile, unread, type Visit } from './read-file.ts';
import type { RowBook } from './row-book.ts';

const MAX_LEVEL = 5;
const MAX_FILES = 5_000;
/** Files under way or waiting for those before them: what a map holds in memory at once. */
const WINDOW = 6;

export interface WalkDeps extends ReadFileDeps {
  readonly purse: Purse;
  readonly book: RowBook;
  readonly onProgress: (done: number, total: number) => void;
}

/** Reads the files of a tree at once and takes them in the order of the tree, so that the same site gives the same answer. */
export class TreeWalk {
  readonly files: SiteFile[] = [];
  stop: Stop | undefined;
  readonly #deps: WalkDeps;
  readonly #visit: Visit;
  readonly #known = new Set<string>();

  constructor(deps: WalkDeps, visit: Visit) {
    this.#deps = deps;
    this.#visit = visit;
  }

  /** Whether any file of these kinds was read. */
  hasRead(...kinds: readonly SiteFile['kind'][]): boolean {
    return this.files.some((file) => isRead(file) && kinds.includes(file.kind));
  }

  /** Reads these files and all they name. `quiet`: files that are not there are not told of. */
  async read(orders: readonly FileOrder[], quiet = false): Promise<void> {
    const queue = orders.filter(({ url }) => this.#isNew(url));
    const inFlight: Promise<FileRead>[] = [];
    const broken = new AbortController();
    const visit = { ...this.#visit, signal: AbortSignal.any([this.#visit.signal, broken.signal]) };
    try {
      for (let next = 0; next < queue.length || inFlight.length > 0; ) {
        while (inFlight.length < WINDOW && next < queue.length) {
          const order = queue[next++];
          if (order === undefined) continue;
          const reading = this.#readOne(order, visit);
          // Heard when its turn comes; until then a failure must not pass for one that nobody hears.
          reading.catch(() => undefined);
          inFlight.push(reading);
        }
        const read = await inFlight.shift();
        if (read !== undefined) queue.push(...(await this.#take(read, quiet)));
        this.#deps.onProgress(this.files.length, this.files.length + queue.length - next + inFlight.length);
      }
    } catch (error) {
      broken.abort(error);
      await Promise.allSettled(inFlight);
      throw error;
    }
  }

  async #readOne(order: FileOrder, visit: Visit): Promise<FileRead> {
    if (this.stop !== undefined) return unread(order, 'skipped', WHY_STOPPED[this.stop]);
    if (visit.remainingMs() <= 0) {
      this.stop = 'time_limit';
      return unread(order, 'skipped', WHY_STOPPED.time_limit);
    }
    if (!(await this.#deps.purse.take())) {
      this.stop = 'credit_limit';
      return unread(order, 'skipped', WHY_STOPPED.credit_limit);
    }
    let isSpent = false;
    try {
      const read = await readFile(this.#deps, order, visit);
      isSpent = isRead(read.file);
      return read;
    } finally {
      this.#deps.purse.settle(isSpent);
    }
  }

  /** Takes a file that has been read. @returns the files it names that are to be read as well */
  async #take({ file, entries, children, level }: FileRead, quiet: boolean): Promise<FileOrder[]> {
    const isMissing = file.verdict === 'missing' || (file.httpStatus === 200 && !isRead(file));
    if (quiet && isMissing) return [];
    this.files.push(file);
    const source: Source = file.kind === 'feed' ? 'feed' : 'sitemap';
    await this.#deps.book.take(entries, source, file);
    if (this.#deps.book.isFull) this.stop ??= 'page_limit';
    return children.flatMap((url) => this.#child(url, file, level + 1));
  }

  #child(url: string, parent: SiteFile, level: number): FileOrder[] {
    if (!this.#isNew(url)) return [];
    const order: FileOrder = { url, parent: parent.url, foundBy: 'index', level };
    const refusal = this.#refusal(order);
    if (refusal === undefined) return [order];
    // A tree beyond all bounds is not listed to its last leaf.
    if (this.files.length < MAX_FILES) this.files.push(unread(order, 'skipped', refusal).file);
    return [];
  }

  #refusal({ url, parent, level }: FileOrder): string | undefined {
    if (level > MAX_LEVEL) return `not read: deeper than ${MAX_LEVEL} indexes`;
    if (this.#known.size > MAX_FILES) {
      this.stop ??= 'page_limit';
      return `not read: the tree has more than ${MAX_FILES} files`;
    }
    const here = new URL(url);
    const isOurs = this.#visit.scope.has(here) || siteKey(here) === siteKey(new URL(parent));
    // Whoever owns a host says in its robots.txt which other hosts speak for it (sitemaps.org, cross submits).
    return isOurs ? undefined : 'not read: it is on another host, which robots.txt does not name';
  }

  #isNew(url: string): boolean {
    if (this.#known.has(url)) return false;
    this.#known.add(url);
    return true;
  }
}

const WHY_STOPPED: Readonly<Record<Stop, string>> = {
  credit_limit: 'not read: the workspace has no credits left for it',
  page_limit: 'not read: the map has reached its bound',
  time_limit: 'not read: the map ran out of time',
  site_down: 'not read: the site can’t be reached',
};
