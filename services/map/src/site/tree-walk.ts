import type { RowWriter } from '../documents/row-writer.ts';
import { siteKey } from '../domain/scope.ts';
import { isRead, type LimitStop, type SiteFile, type Source } from '../domain/tree.ts';
import type { CreditBudget } from './credit-budget.ts';
import {
  type FetchContext,
  type FileRequest,
  type FileResult,
  type ReadFileDeps,
  readFile,
  unreadFile,
} from './read-file.ts';

const MAX_LEVEL = 5;
const MAX_FILES = 5_000;
/** Files that are being read or wait for earlier files. Bounds the entries that a map holds in memory. */
const WINDOW = 6;

export interface WalkDeps extends ReadFileDeps {
  readonly budget: CreditBudget;
  readonly rows: RowWriter;
  readonly onProgress: (done: number, total: number) => void;
}

/** Reads the files of a sitemap tree concurrently and processes them in tree order, so that the same site gives the same rows. */
export class TreeWalk {
  readonly files: SiteFile[] = [];
  stop: LimitStop | undefined;
  readonly #deps: WalkDeps;
  readonly #context: FetchContext;
  readonly #seen = new Set<string>();

  constructor(deps: WalkDeps, context: FetchContext) {
    this.#deps = deps;
    this.#context = context;
  }

  /** Returns whether a file of one of these kinds has been read. */
  hasRead(...kinds: readonly SiteFile['kind'][]): boolean {
    return this.files.some((file) => isRead(file) && kinds.includes(file.kind));
  }

  /** Reads the requested files and all files that they name. `omitMissing`: files that do not exist are not reported. */
  async read(requests: readonly FileRequest[], { omitMissing = false } = {}): Promise<void> {
    const queue = requests.filter(({ url }) => this.#isNew(url));
    const inFlight: Promise<FileResult>[] = [];
    const failed = new AbortController();
    const context = { ...this.#context, signal: AbortSignal.any([this.#context.signal, failed.signal]) };
    try {
      for (let next = 0; next < queue.length || inFlight.length > 0; ) {
        while (inFlight.length < WINDOW && next < queue.length) {
          const request = queue[next++];
          if (request === undefined) continue;
          const reading = this.#readOne(request, context);
          // Handled when it is awaited below; until then Node would report an unhandled rejection.
          reading.catch(() => undefined);
          inFlight.push(reading);
        }
        const result = await inFlight.shift();
        if (result !== undefined) queue.push(...(await this.#process(result, omitMissing)));
        this.#deps.onProgress(this.files.length, this.files.length + queue.length - next + inFlight.length);
      }
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(inFlight);
      throw error;
    }
  }

  async #readOne(request: FileRequest, context: FetchContext): Promise<FileResult> {
    const { budget } = this.#deps;
    if (this.stop === undefined && context.remainingMs() <= 0) this.stop = 'time_limit';
    if (this.stop !== undefined) return unreadFile(request, 'skipped', STOP_REASONS[this.stop]);
    if (!(await budget.acquire())) {
      this.stop = 'credit_limit';
      return unreadFile(request, 'skipped', STOP_REASONS.credit_limit);
    }
    let isSpent = false;
    try {
      const result = await readFile(this.#deps, request, context);
      isSpent = isRead(result.file);
      return result;
    } finally {
      budget.settle(isSpent);
    }
  }

  /** Adds the entries of a file to the rows. @returns requests for the files that it names */
  async #process({ file, entries, children, level }: FileResult, omitMissing: boolean): Promise<FileRequest[]> {
    const isMissing = file.verdict === 'missing' || (file.httpStatus === 200 && !isRead(file));
    if (omitMissing && isMissing) return [];
    this.files.push(file);
    const source: Source = file.kind === 'feed' ? 'feed' : 'sitemap';
    await this.#deps.rows.add(entries, source, file);
    if (this.#deps.rows.isFull) this.stop ??= 'page_limit';
    return children.flatMap((url) => this.#child(url, file, level + 1));
  }

  #child(url: string, parent: SiteFile, level: number): FileRequest[] {
    if (!this.#isNew(url)) return [];
    const request: FileRequest = { url, parent: parent.url, foundBy: 'index', level };
    const refusal = this.#refusal(request);
    if (refusal === undefined) return [request];
    // Skipped files are reported only up to the limit.
    if (this.files.length < MAX_FILES) this.files.push(unreadFile(request, 'skipped', refusal).file);
    return [];
  }

  #refusal({ url, parent, level }: FileRequest): string | undefined {
    if (level > MAX_LEVEL) return `not read: more than ${MAX_LEVEL} indexes above it`;
    if (this.#seen.size > MAX_FILES) {
      this.stop ??= 'page_limit';
      return `not read: the tree has more than ${MAX_FILES} files`;
    }
    const file = new URL(url);
    const isAllowed = this.#context.scope.has(file) || siteKey(file) === siteKey(new URL(parent));
    // A host may list files on another host only if robots.txt names that file (sitemaps.org, cross submits).
    return isAllowed ? undefined : 'not read: the file is on another host that robots.txt does not name';
  }

  #isNew(url: string): boolean {
    if (this.#seen.has(url)) return false;
    this.#seen.add(url);
    return true;
  }
}

const STOP_REASONS: Readonly<Record<LimitStop, string>> = {
  credit_limit: 'not read: the workspace has no credits left',
  page_limit: 'not read: the map reached its size limit',
  time_limit: 'not read: the map reached its time limit',
};
