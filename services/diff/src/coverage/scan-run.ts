import { FrequentItems } from '../domain/frequent-items.ts';
import type { PagePair } from '../domain/merge-pages.ts';
import { folderOf } from '../domain/page-key.ts';
import { type KnownPage, observationOf, type PageReading } from '../domain/page-reading.ts';
import { GenericPageDetector, isGenericPage } from './generic-page-detector.ts';
import type { ScanCounts } from './run-coverage.ts';
import type { ScopeRules } from './scope-rules.ts';

/** Known pages verified for one record; further missing pages are withheld. */
const MAX_VERIFICATIONS = 200;
const MAX_REDIRECTS = 5_000;
const MAX_FOLDERS = 1_000;
/** Pages of which a control reading is made, per folder and per record. The others of a folder profit from them. */
const MAX_CONTROLS_PER_FOLDER = 10;
const MAX_CONTROLS = 50;

/** Result of the first pass over all pages, which opens no content. */
export interface RunScan {
  readonly counts: ScanCounts;
  /** Signatures of generic pages. */
  readonly genericSignatures: ReadonlySet<string>;
  /** Readings by the key of the URL that redirects to them now. */
  readonly redirects: ReadonlyMap<string, PageReading>;
  /** Known pages that are missing or were not reached, sorted by key. */
  readonly toVerify: readonly KnownPage[];
  /** Keys of those the run requested and found missing. */
  readonly missing: ReadonlySet<string>;
  readonly pagesPerFolder: ReadonlyMap<string, number>;
  /** Sample of the pages that another engine or another configuration read than their last good reading. Sorted by key. */
  readonly toControl: readonly ReadByOther[];
}

/** A page that another engine or another configuration read, with other content. */
export interface ReadByOther {
  readonly lastGood: PageReading;
  readonly current: PageReading;
}

/** Whether a known page counts as present: it was readable and is not reported as removed. */
export const isPresent = (known: KnownPage | undefined): known is KnownPage =>
  known !== undefined && (known.state === 'read' || known.state === 'stale');

/** Scans all pages of a run in bounded memory. */
export async function scanRun(
  pairs: AsyncIterable<PagePair>,
  scope: ScopeRules,
  { isRecrawl }: { readonly isRecrawl: boolean },
): Promise<RunScan> {
  const scanner = new RunScanner(scope, isRecrawl);
  for await (const pair of pairs) scanner.add(pair);
  return scanner.result();
}

class RunScanner {
  readonly #scope: ScopeRules;
  readonly #isRecrawl: boolean;
  readonly #genericPages = new GenericPageDetector();
  readonly #folders = new FrequentItems<undefined>(MAX_FOLDERS);
  readonly #redirects = new Map<string, PageReading>();
  readonly #toVerify: KnownPage[] = [];
  readonly #missing = new Set<string>();
  readonly #toControl: ReadByOther[] = [];
  readonly #controlsPerFolder = new Map<string, number>();
  readonly #counts = { known: 0, present: 0, read: 0, unreadable: 0, unreached: 0, newlyMissing: 0, outOfScope: 0 };

  constructor(scope: ScopeRules, isRecrawl: boolean) {
    this.#scope = scope;
    this.#isRecrawl = isRecrawl;
  }

  add({ pageKey, known, current }: PagePair): void {
    if (current === undefined) {
      this.#addUnreached(known);
      return;
    }
    this.#addRedirects(pageKey, current);
    const observation = observationOf(current);
    if (isPresent(known)) this.#counts.present += 1;
    // A page that the run found is known from then on, so that no more pages are read than known.
    if (isPresent(known) || observation === 'read' || observation === 'unreadable') this.#counts.known += 1;
    if (observation === 'read') this.#addRead(current, known);
    if (observation === 'unreadable') this.#counts.unreadable += 1;
    if (isPresent(known) && known.absences === 0) {
      if (observation === 'missing') this.#addNewlyMissing(known);
      if (observation === 'soft_missing') this.#counts.newlyMissing += 1;
    }
  }

  #addRedirects(pageKey: string, current: PageReading): void {
    for (const requestedKey of current.requestedKeys)
      if (requestedKey !== pageKey && this.#redirects.size < MAX_REDIRECTS) this.#redirects.set(requestedKey, current);
  }

  #addNewlyMissing(known: KnownPage): void {
    this.#counts.newlyMissing += 1;
    if (known.state === 'read' && this.#queueVerification(known)) this.#missing.add(known.pageKey);
  }

  result(): RunScan {
    const isElsewhere = (page: KnownPage): boolean => this.#redirects.has(page.pageKey);
    const genericSignatures = this.#genericPages.genericSignatures();
    return {
      counts: { ...this.#counts, verified: 0, hasGenericPage: genericSignatures.size > 0 },
      genericSignatures,
      redirects: this.#redirects,
      toVerify: this.#toVerify.filter((page) => !isElsewhere(page)),
      missing: this.#missing,
      pagesPerFolder: new Map([...this.#folders.entries()].map(({ key, count }) => [key, count])),
      toControl: this.#toControl,
    };
  }

  #addRead(current: PageReading, known: KnownPage | undefined): void {
    this.#counts.read += 1;
    this.#folders.add(folderOf(current.pageKey), () => undefined);
    if (known?.lastGood === undefined) return;
    this.#genericPages.add(known.lastGood, current);
    if (isReadByOther(known.lastGood, current)) this.#queueControl({ lastGood: known.lastGood, current });
  }

  #queueControl(page: ReadByOther): void {
    const folder = folderOf(page.current.pageKey);
    const queued = this.#controlsPerFolder.get(folder) ?? 0;
    if (queued >= MAX_CONTROLS_PER_FOLDER || this.#toControl.length >= MAX_CONTROLS) return;
    this.#controlsPerFolder.set(folder, queued + 1);
    this.#toControl.push(page);
  }

  #addUnreached(known: KnownPage | undefined): void {
    // A recrawl covers only the listed pages.
    if (this.#isRecrawl || !isPresent(known)) return;
    if (!this.#scope.admits(known.url)) {
      this.#counts.outOfScope += 1;
      return;
    }
    this.#counts.known += 1;
    this.#counts.present += 1;
    this.#counts.unreached += 1;
    if (known.state === 'read') this.#queueVerification(known);
  }

  #queueVerification(known: KnownPage): boolean {
    if (this.#toVerify.length >= MAX_VERIFICATIONS) return false;
    this.#toVerify.push(known);
    return true;
  }
}

/** Whether another engine or another configuration read the page, and read other content. */
function isReadByOther(lastGood: PageReading, current: PageReading): boolean {
  const isOther = lastGood.method !== current.method || lastGood.contentVariantKey !== current.contentVariantKey;
  return isOther && (current.comparedHash === '' || lastGood.comparedHash !== current.comparedHash);
}

/** Returns the scan's counts with the pages that verification found removed. */
export function withVerifications(scan: RunScan, verified: ReadonlyMap<string, PageReading>): ScanCounts {
  let newlyMissing = scan.counts.newlyMissing;
  for (const page of scan.toVerify) {
    const reading = verified.get(page.pageKey);
    if (reading === undefined || isGenericPage(reading, scan.genericSignatures)) continue;
    const observation = observationOf(reading);
    const isMissing = observation === 'missing' || observation === 'soft_missing';
    // A page the run itself found missing is counted already; a page it did not reach is not.
    if (isMissing && page.absences === 0 && !scan.missing.has(page.pageKey)) newlyMissing += 1;
    if (!isMissing && scan.missing.has(page.pageKey)) newlyMissing -= 1;
  }
  return { ...scan.counts, newlyMissing, verified: verified.size };
}
