import type { Counters } from './counters.ts';
import { documentOf } from './document.ts';
import { contentEditAt, isVolatile, linkEditsBetween, noiseBetween } from './edits.ts';
import { feedPaths } from './feed.ts';
import type { SitePlan, SpecialPage } from './plan.ts';
import { listedEntries } from './sitemaps.ts';
import { specialTitle } from './special-html.ts';
import { type Reach, SPECIALS, type SpecialKind } from './special-kinds.ts';
import { TRAPS, type Trap } from './traps.ts';

export type PageKind = 'page' | 'copy' | SpecialKind;

/** What is true of one URL. */
export interface TruePage {
  readonly path: string;
  readonly kind: PageKind;
  readonly status: number;
  readonly reach: Reach;
  /** Links from the home page; null where plain links do not lead to it. */
  readonly depth: number | null;
  readonly inSitemap: boolean;
  readonly inFeed: boolean;
  readonly isAllowed: boolean;
  readonly title: string | null;
  /** The path of its canonical link, where that is another page. */
  readonly canonical: string | null;
  readonly redirectsTo: string | null;
  /** Whether it differs at every request. */
  readonly isVolatile: boolean;
}

/** What is true of a site in a generation. */
export interface SiteTruth {
  readonly seed: number;
  readonly generation: number;
  readonly sitemaps: { readonly files: number; readonly urls: number };
  readonly traps: readonly Trap[];
  readonly pages: readonly TruePage[];
}

/** What differs between two generations of a page. */
export interface TrueChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'modified' | 'noise' | 'links';
  readonly kinds: readonly string[];
}

/** Recall of a crawler: the pages that it was sent, of those that it could find. */
export interface SiteScore {
  /** Of the pages with status 200 that plain links lead to and robots.txt allows. */
  readonly recall: number;
  readonly byKind: Readonly<Record<string, { readonly got: number; readonly of: number }>>;
  readonly missed: readonly string[];
}

const SHOWN = 20;

/** Returns every page of a site in a generation, with how it can be found. */
export function truthOf(plan: SitePlan, generation: number): SiteTruth {
  const listed = new Set(listedEntries(plan, generation).map(({ path }) => path));
  const inFeed = new Set(feedPaths(plan, generation));
  const usual = { reach: 'links', status: 200, isAllowed: true, canonical: null, redirectsTo: null } as const;
  const sources = (path: string) => ({ path, inSitemap: listed.has(path), inFeed: inFeed.has(path) });
  const ids = plan.ids(generation);
  const tree = ids.map((id): TruePage => {
    const { title } = documentOf(plan, id, generation);
    const [path, depth] = [plan.pathOf(id), plan.levelOf(id)];
    return { ...usual, ...sources(path), kind: 'page', depth, title, isVolatile: isVolatile(plan, id) };
  });
  const copies = ids.flatMap((id): TruePage[] => {
    const copy = plan.copyOf(id);
    if (copy === undefined) return [];
    const { title } = documentOf(plan, id, generation);
    const canonical = plan.pathOf(id);
    const depth = plan.levelOf(id) + 1;
    return [{ ...usual, ...sources(copy.path), kind: 'copy', depth, title, canonical, isVolatile: false }];
  });
  const specials = plan.specials.map((page): TruePage => {
    const { kind, path, referrer } = page;
    const { reach, status } = SPECIALS[kind];
    const target = kind === 'redirect' ? plan.targetOf(page) : undefined;
    return {
      ...sources(path),
      kind,
      status: target?.status ?? status,
      reach,
      depth: reach === 'links' ? plan.levelOf(referrer) + 1 : null,
      isAllowed: kind !== 'private',
      title: titleOf(plan, page),
      canonical: null,
      redirectsTo: target?.path ?? null,
      isVolatile: false,
    };
  });
  return {
    seed: plan.options.seed,
    generation,
    sitemaps: { files: plan.options.sitemaps, urls: listed.size },
    traps: TRAPS,
    pages: [...tree, ...copies, ...specials],
  };
}

function titleOf(plan: SitePlan, page: SpecialPage): string | null {
  if (page.kind === 'login') return 'Sign in';
  if (page.kind === 'soft_404') return 'Page not found';
  return SPECIALS[page.kind].status === 200 && page.kind !== 'shell' ? specialTitle(plan, page) : null;
}

/** Returns what differs between two generations of a site; pages without a difference are left out. */
export function changesBetween(plan: SitePlan, base: number, generation: number): TrueChange[] {
  const [before, after] = [plan.ids(base), plan.ids(generation)];
  const [known, present] = [new Set(before), new Set(after)];
  const added = after.filter((id) => !known.has(id)).map((id) => id);
  const removed = before.filter((id) => !present.has(id));
  return [
    ...added.map((id): TrueChange => ({ path: plan.pathOf(id), change: 'added', kinds: [] })),
    ...removed.map((id): TrueChange => ({ path: plan.pathOf(id), change: 'removed', kinds: [] })),
    ...before.filter((id) => present.has(id)).flatMap((id) => changeOf(plan, id, base, generation)),
  ];
}

function changeOf(plan: SitePlan, id: number, base: number, generation: number): TrueChange[] {
  const path = plan.pathOf(id);
  const steps = Array.from({ length: generation - base }, (_, step) => base + 1 + step);
  const content = steps.map((step) => contentEditAt(plan, id, step)).filter((kind) => kind !== undefined);
  const noise = noiseBetween(plan, id, base, generation);
  const links = linkEditsBetween(plan, id, base, generation);
  const kinds = [...new Set([...content, ...noise, ...links])];
  if (kinds.length === 0) return [];
  if (content.length > 0) return [{ path, change: 'modified', kinds }];
  return [{ path, change: noise.length > 0 ? 'noise' : 'links', kinds }];
}

/** Returns the recall of the crawler that a host saw. */
export function scoreOf({ pages }: SiteTruth, counters: Counters): SiteScore {
  const expected = pages.filter(({ status, reach, isAllowed }) => status === 200 && reach === 'links' && isAllowed);
  const byKind: Record<string, { got: number; of: number }> = {};
  const missed: string[] = [];
  for (const { kind, path } of expected) {
    const score = byKind[kind] ?? { got: 0, of: 0 };
    byKind[kind] = score;
    score.of += 1;
    if (counters.hasAnswered(path)) score.got += 1;
    else missed.push(path);
  }
  return { recall: 1 - missed.length / Math.max(1, expected.length), byKind, missed: missed.slice(0, SHOWN) };
}
