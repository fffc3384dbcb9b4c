import { FrequentTally } from './frequent-tally.ts';
import type { PagePair } from './merge-pages.ts';
import { folderOf } from './page-key.ts';
import { type KnownPage, type PageReading, sightOf } from './page-reading.ts';
import type { Sightings } from './run-coverage.ts';
import { isFlooded, SiteFace } from './site-face.ts';

/** Known pages looked at directly in one record, at most: what is beyond is withheld. */
const MAX_PROBES = 200;
const MAX_REDIRECTS = 5_000;
const MAX_FOLDERS = 1_000;

/** Whether an address may be visited, by the scope of a run. */
export interface ScopeRules {
  readonly admits: (url: string) => boolean;
  /** By the scope the baseline had. */
  readonly admittedBefore: (url: string) => boolean;
}

/** What going through the rows once tells, before any page is opened. */
export interface Survey {
  readonly seen: Sightings;
  /** Faces of the site that are no page. */
  readonly floods: ReadonlySet<string>;
  /** Where addresses lead now that were other pages: by the key they were asked under. */
  readonly redirects: ReadonlyMap<string, PageReading>;
  /** Known pages that were missed or not reached, in the order of their keys. */
  readonly toProbe: readonly KnownPage[];
  /** Of those, the ones the run came to and missed. */
  readonly missed: ReadonlySet<string>;
  readonly pagesPerFolder: ReadonlyMap<string, number>;
}

/** Whether a known page still is one for a record: in scope, and not told to be gone. */
export const isStanding = (known: KnownPage | undefined): known is KnownPage =>
  known !== undefined && (known.state === 'read' || known.state === 'stale');

/** Goes through all pages, in bounded memory. */
export async function surveyRun(
  pairs: AsyncIterable<PagePair>,
  scope: ScopeRules,
  { isRecrawl }: { readonly isRecrawl: boolean },
): Promise<Survey> {
  const surveyor = new Surveyor(scope, isRecrawl);
  for await (const pair of pairs) surveyor.see(pair);
  return surveyor.survey();
}

class Surveyor {
  readonly #scope: ScopeRules;
  readonly #isRecrawl: boolean;
  readonly #face = new SiteFace();
  readonly #folders = new FrequentTally<undefined>(MAX_FOLDERS);
  readonly #redirects = new Map<string, PageReading>();
  readonly #toProbe: KnownPage[] = [];
  readonly #missed = new Set<string>();
  readonly #counts = { known: 0, read: 0, unreadable: 0, unreached: 0, newlyGone: 0, outOfScope: 0 };

  constructor(scope: ScopeRules, isRecrawl: boolean) {
    this.#scope = scope;
    this.#isRecrawl = isRecrawl;
  }

  see({ pageKey, known, current }: PagePair): void {
    if (current === undefined) {
      this.#seeUnreached(known);
      return;
    }
    for (const asked of current.askedKeys)
      if (asked !== pageKey && this.#redirects.size < MAX_REDIRECTS) this.#redirects.set(asked, current);
    if (isStanding(known)) this.#counts.known += 1;
    const sight = sightOf(current);
    if (sight === 'read') this.#seeRead(current, known);
    if (sight === 'unreadable') this.#counts.unreadable += 1;
    if ((sight === 'missing' || sight === 'soft_missing') && isStanding(known) && known.absences === 0) {
      this.#counts.newlyGone += 1;
      if (sight === 'missing' && known.state === 'read' && this.#wantProbe(known)) this.#missed.add(pageKey);
    }
  }

  survey(): Survey {
    const isElsewhere = (page: KnownPage): boolean => this.#redirects.has(page.pageKey);
    const floods = this.#face.floods();
    return {
      seen: { ...this.#counts, probed: 0, isFlooded: floods.size > 0 },
      floods,
      redirects: this.#redirects,
      toProbe: this.#toProbe.filter((page) => !isElsewhere(page)),
      missed: this.#missed,
      pagesPerFolder: new Map([...this.#folders.entries()].map(({ key, count }) => [key, count])),
    };
  }

  #seeRead(current: PageReading, known: KnownPage | undefined): void {
    this.#counts.read += 1;
    this.#folders.add(folderOf(current.pageKey), () => undefined);
    if (known?.good !== undefined) this.#face.see(known.good, current);
  }

  #seeUnreached(known: KnownPage | undefined): void {
    // A recrawl of some pages says nothing of the others.
    if (this.#isRecrawl || !isStanding(known)) return;
    if (!this.#scope.admits(known.url)) {
      this.#counts.outOfScope += 1;
      return;
    }
    this.#counts.known += 1;
    this.#counts.unreached += 1;
    if (known.state === 'read') this.#wantProbe(known);
  }

  #wantProbe(known: KnownPage): boolean {
    if (this.#toProbe.length >= MAX_PROBES) return false;
    this.#toProbe.push(known);
    return true;
  }
}

/** What direct looks add to the sightings: pages that are gone for certain. */
export function withSecondLooks(survey: Survey, looks: ReadonlyMap<string, PageReading>): Sightings {
  let newlyGone = survey.seen.newlyGone;
  for (const page of survey.toProbe) {
    const look = looks.get(page.pageKey);
    if (look === undefined || isFlooded(look, survey.floods)) continue;
    const sight = sightOf(look);
    const isGone = sight === 'missing' || sight === 'soft_missing';
    // One that the run itself missed is counted; one that it never came to is not yet.
    if (isGone && page.absences === 0 && !survey.missed.has(page.pageKey)) newlyGone += 1;
    if (!isGone && survey.missed.has(page.pageKey)) newlyGone -= 1;
  }
  return { ...survey.seen, newlyGone, probed: looks.size };
}
