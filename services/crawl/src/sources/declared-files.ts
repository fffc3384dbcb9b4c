import type { PatternTally } from '../domain/scope/pattern-tally.ts';
import type { EarlierPage } from '../domain/scope/predict-visits.ts';
import { ReadFiles } from '../domain/scope/read-files.ts';
import type { ScopeRules } from '../domain/scope/scope-rules.ts';
import { EventLoopTurns } from '../event-loop/event-loop-turns.ts';

/** Relates the URLs of a stored sitemap tree to its files: which of them a scope reads. Keeps at most the URLs of one request. */
export class DeclaredFiles {
  readonly #rules: ScopeRules;
  readonly #patterns: PatternTally;
  readonly #read: ReadFiles;
  readonly #files = new Set<string>();
  /** Whether a file that is read contains the URL, by key. */
  readonly #isRead = new Map<string, boolean>();

  constructor(rules: ScopeRules, patterns: PatternTally) {
    this.#rules = rules;
    this.#patterns = patterns;
    this.#read = new ReadFiles(rules);
  }

  /** Counts the patterns that match a file, once. */
  addFile(file: string): void {
    if (this.#files.has(file)) return;
    this.#files.add(file);
    this.#patterns.takeFile(file);
  }

  /** Adds a URL of a file. @returns whether the file is read */
  add(url: string, file: string): boolean {
    this.addFile(file);
    const isRead = this.#read.has(file);
    const pageUrl = this.#rules.pageUrlOf(url);
    if (pageUrl === undefined) return isRead;
    const key = shortOf(pageUrl.key);
    if (isRead || !this.#isRead.has(key)) this.#isRead.set(key, isRead);
    return isRead;
  }

  has(key: Buffer): boolean {
    return this.#isRead.has(shortOf(key));
  }

  /** Returns the page with `isInLeftOutFile`. */
  locate(page: EarlierPage): EarlierPage {
    return page.inSitemap && this.#isRead.get(shortOf(page.key)) === false ? { ...page, isInLeftOutFile: true } : page;
  }
}

/** A prefix of the key, long enough to be unique among some hundred thousand keys. */
export const shortOf = (key: Buffer): string => key.toString('latin1', 0, 12);

/** Takes items until a point in time. @returns whether some were left out */
export async function inTurns<T>(items: readonly T[], until: number, take: (item: T) => void): Promise<boolean> {
  const turns = new EventLoopTurns();
  for (const item of items) {
    take(item);
    if (!turns.isOver) continue;
    if (performance.now() > until) return true;
    await turns.next();
  }
  return false;
}
