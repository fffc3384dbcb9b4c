import { estimateUnseen, type NoEstimate, type UnseenPages } from './estimate-stratum.ts';

/** Pages of a run that are alike in place and age, and that exactly these sources list. */
export interface HistoryCell {
  /** First folder of the path. */
  readonly section: string;
  /** Folders of the path. */
  readonly depth: number;
  /** Whether the earlier run had read them. */
  readonly isKnown: boolean;
  /** The sources as a bit set over the list given with the cells. */
  readonly sources: number;
  readonly pages: number;
  /** Of those, pages that were read. */
  readonly read: number;
}

/** An estimated number of pages with its 95 % interval. */
export interface EstimatedPages {
  readonly pages: number;
  readonly low: number;
  readonly high: number;
  /** Pages read, as a share of `pages`. */
  readonly readShare: number;
}

export interface SectionEstimate {
  readonly section: string;
  /** Pages that the run found, and of those it read. */
  readonly found: number;
  readonly read: number;
  readonly estimate: EstimatedPages | undefined;
  readonly why: NoEstimate | undefined;
}

/** How many pages a site has, of those that any of its sources can reveal. */
export interface CoverageEstimate {
  readonly found: number;
  readonly read: number;
  readonly estimate: EstimatedPages | undefined;
  /** Why there is no estimate. */
  readonly why: NoEstimate | undefined;
  /** The largest sections; the others are summed under the empty name. */
  readonly sections: readonly SectionEstimate[];
}

const MIN_PAGES = 30;
/** Smaller sections are estimated together. */
const MIN_SECTION_PAGES = 25;
/** Smaller ones may lack a source by chance. */
const MIN_ONE_SOURCE_PAGES = 4;
/** No section has this name: sections start with a slash. */
const ONE_SOURCE_GROUP = 'one source';
const MAX_SECTIONS = 50;
const MAX_DEPTH = 4;
/** Largest share of pages in sets without an estimate, which count as found, for the site to have one. */
const MAX_UNESTIMATED = 0.2;
/** Divisions with a smaller weight than this, against the best, are left out. */
const MIN_WEIGHT = 0.01;
/** 95 % of a normal distribution. */
const Z = 1.96;

/** A cell with the set of sections that it is estimated with. */
interface PlacedCell extends HistoryCell {
  readonly group: string;
}

type Divide = (cell: PlacedCell) => string;

/** Ways to divide the pages into sets within which the sources are alike. Those that describe the histories best are averaged. */
const DIVISIONS: readonly Divide[] = [
  () => '',
  ({ group }) => group,
  ({ depth }) => String(depth),
  ({ isKnown }) => String(isKnown),
  ({ group, depth }) => `${group} ${depth}`,
  ({ group, isKnown }) => `${group} ${isKnown}`,
  ({ depth, isKnown }) => `${depth} ${isKnown}`,
  ({ group, depth, isKnown }) => `${group} ${depth} ${isKnown}`,
];

interface Stratum {
  readonly cells: readonly HistoryCell[];
  readonly pages: number;
  readonly result: UnseenPages;
}

/** One way to divide the pages, with its Akaike weight. */
interface Division {
  readonly strata: readonly Stratum[];
  readonly weight: number;
}

/** Unseen pages and the variance of their number. */
interface Unseen {
  readonly unseen: number;
  readonly variance: number;
}

const sum = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((total, item) => total + value(item), 0);

/** What a section holds in all. */
interface SectionTotal {
  readonly pages: number;
  /** Every source that lists a page of it. */
  readonly sources: number;
}

function totalsOf(cells: readonly HistoryCell[]): Map<string, SectionTotal> {
  const totals = new Map<string, SectionTotal>();
  for (const { section, pages, sources } of cells) {
    const known = totals.get(section) ?? { pages: 0, sources: 0 };
    totals.set(section, { pages: known.pages + pages, sources: known.sources | sources });
  }
  return totals;
}

const isOneSource = (sources: number): boolean => (sources & (sources - 1)) === 0;

/**
 * Puts small sections under the empty name, and cuts depths. Small sections are estimated together, except those that one source lists: another
 * source leaves them out as a whole, and says nothing about the others.
 */
function bounded(cells: readonly HistoryCell[]): PlacedCell[] {
  const totals = totalsOf(cells);
  const largest = [...totals].filter(([, { pages }]) => pages >= MIN_SECTION_PAGES);
  const named = new Set(
    largest
      .toSorted(([, a], [, b]) => b.pages - a.pages)
      .slice(0, MAX_SECTIONS)
      .map(([section]) => section),
  );
  const groupOf = (section: string): string => {
    const { pages = 0, sources = 0 } = totals.get(section) ?? {};
    if (named.has(section)) return section;
    return pages >= MIN_ONE_SOURCE_PAGES && isOneSource(sources) ? ONE_SOURCE_GROUP : '';
  };
  return cells.map((cell) => ({
    ...cell,
    section: named.has(cell.section) ? cell.section : '',
    group: groupOf(cell.section),
    depth: Math.min(cell.depth, MAX_DEPTH),
  }));
}

function countsOf(cells: readonly HistoryCell[], sources: number): number[] {
  const counts = new Array<number>(2 ** sources).fill(0);
  for (const cell of cells) counts[cell.sources] = (counts[cell.sources] ?? 0) + cell.pages;
  return counts;
}

/** Gives other work of the process its turns. */
export interface Turns {
  readonly isOver: boolean;
  next(): Promise<void>;
}

async function divided(
  cells: readonly PlacedCell[],
  sources: number,
  divide: Divide,
  turns: Turns,
): Promise<Stratum[]> {
  const strata: Stratum[] = [];
  for (const group of Map.groupBy(cells, divide).values()) {
    const result = estimateUnseen(countsOf(group, sources), sources);
    strata.push({ cells: group, pages: sum(group, ({ pages }) => pages), result });
    if (turns.isOver) await turns.next();
  }
  return strata;
}

const informationOf = (strata: readonly Stratum[]): number =>
  sum(strata, ({ result }) => 2 * result.parameters - 2 * result.logLikelihood);

/** Returns the divisions that describe the histories well, the best first, with weights that sum to 1. */
async function divisionsOf(
  cells: readonly PlacedCell[],
  sources: number,
  turns: Turns,
): Promise<readonly [Division, ...Division[]]> {
  const each: Stratum[][] = [];
  for (const divide of DIVISIONS) each.push(await divided(cells, sources, divide, turns));
  const all = each
    .map((strata) => ({ strata, information: informationOf(strata) }))
    .toSorted((a, b) => a.information - b.information);
  const least = all[0]?.information ?? 0;
  const weighted = all
    .map(({ strata, information }) => ({ strata, weight: Math.exp((least - information) / 2) }))
    .filter(({ weight }) => weight >= MIN_WEIGHT);
  const total = sum(weighted, ({ weight }) => weight);
  const [best = { strata: [], weight: 1 }, ...others] = weighted.map(({ strata, weight }) => ({
    strata,
    weight: weight / total,
  }));
  return [best, ...others];
}

/** Averages what the divisions estimate; the differences between them add to the variance. */
function averageOf(divisions: readonly Division[], unseenOf: (strata: readonly Stratum[]) => Unseen): Unseen {
  const each = divisions.map(({ strata, weight }) => ({ weight, of: unseenOf(strata) }));
  const unseen = sum(each, ({ weight, of }) => weight * of.unseen);
  const variance = sum(each, ({ weight, of }) => weight * (of.variance + (of.unseen - unseen) ** 2));
  return { unseen, variance };
}

/** Returns the number of pages with a log-normal interval of those that no source lists (Chao 1987). */
function intervalOf(found: number, read: number, { unseen, variance }: Unseen): EstimatedPages {
  const spread = unseen > 0 ? Math.exp(Z * Math.sqrt(Math.log(1 + variance / unseen ** 2))) : 1;
  const pages = Math.round(found + unseen);
  return {
    pages,
    low: Math.floor(found + unseen / spread),
    high: Math.ceil(found + unseen * spread),
    readShare: read / Math.max(1, found + unseen),
  };
}

/** Returns the unseen pages of a site. */
const unseenOfSite = (strata: readonly Stratum[]): Unseen => ({
  unseen: sum(strata, ({ result }) => result.unseen),
  variance: sum(strata, ({ result }) => result.variance),
});

/** Returns the unseen pages of a section: its share of each set's. The number of them that lies in the section varies too. */
function unseenOfSection(section: string, strata: readonly Stratum[]): Unseen {
  const parts = strata.map(({ cells, pages, result }) => ({
    result,
    share: pagesOf(cells, section) / Math.max(1, pages),
  }));
  return {
    unseen: sum(parts, ({ result, share }) => result.unseen * share),
    variance: sum(parts, ({ result, share }) => result.variance * share ** 2 + result.unseen * share * (1 - share)),
  };
}

const pagesOf = (cells: readonly HistoryCell[], section: string): number =>
  sum(cells, (cell) => (cell.section === section ? cell.pages : 0));

/** Returns why there is no estimate where many pages are in sets without one: the reason of the largest. */
function whyNone(
  strata: readonly Stratum[],
  pagesIn: (cells: readonly HistoryCell[]) => number,
): NoEstimate | undefined {
  const without = strata
    .filter(({ result }) => result.why !== undefined)
    .map(({ cells, result }) => ({ pages: pagesIn(cells), why: result.why }))
    .toSorted((a, b) => b.pages - a.pages);
  const all = sum(strata, ({ cells }) => pagesIn(cells));
  return sum(without, ({ pages }) => pages) > MAX_UNESTIMATED * all ? without[0]?.why : undefined;
}

function sectionOf(
  section: string,
  cells: readonly HistoryCell[],
  divisions: readonly [Division, ...Division[]],
): SectionEstimate {
  const found = pagesOf(cells, section);
  const read = sum(cells, (cell) => (cell.section === section ? cell.read : 0));
  const why = whyNone(divisions[0].strata, (some) => pagesOf(some, section));
  if (why !== undefined) return { section, found, read, estimate: undefined, why };
  const unseen = averageOf(divisions, (strata) => unseenOfSection(section, strata));
  return { section, found, read, estimate: intervalOf(found, read, unseen), why: undefined };
}

/** Returns why the sources of a site allow no estimate at all. */
function hindrance(cells: readonly HistoryCell[], found: number): NoEstimate | undefined {
  if (found === 0) return 'too_few';
  const histories = new Set(cells.filter(({ pages }) => pages > 0).map((cell) => cell.sources));
  const [only = 0] = histories;
  if (histories.size === 1 && !isOneSource(only)) return 'sources_identical';
  const used = [...histories].reduce((bits, history) => bits | history, 0);
  if (isOneSource(used)) return 'one_source';
  return found < MIN_PAGES ? 'too_few' : undefined;
}

/**
 * Estimates the number of pages of a site from the overlap of its sources (capture–recapture with log-linear models). Pages that no source can
 * reveal are not in it. Computed in turns with other work of the process.
 * @param sources number of sources, at most five
 */
export async function estimateCoverage(
  allCells: readonly HistoryCell[],
  sources: number,
  turns: Turns,
): Promise<CoverageEstimate> {
  const cells = bounded(allCells.filter((cell) => cell.sources > 0 && cell.pages > 0));
  const [found, read] = [sum(cells, ({ pages }) => pages), sum(cells, (cell) => cell.read)];
  const without = (why: NoEstimate, sections: readonly SectionEstimate[] = []): CoverageEstimate => ({
    found,
    read,
    estimate: undefined,
    why,
    sections,
  });
  const none = hindrance(cells, found);
  if (none !== undefined) return without(none);
  const divisions = await divisionsOf(cells, sources, turns);
  const names = [...new Set(cells.map(({ section }) => section))];
  const sections = names.map((section) => sectionOf(section, cells, divisions)).toSorted((a, b) => b.found - a.found);
  const why = whyNone(divisions[0].strata, (some) => sum(some, ({ pages }) => pages));
  if (why !== undefined) return without(why, sections);
  const unseen = averageOf(divisions, unseenOfSite);
  return { found, read, estimate: intervalOf(found, read, unseen), why: undefined, sections };
}
