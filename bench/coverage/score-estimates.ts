import { estimateCoverage } from '../../services/crawl/src/domain/coverage-estimate/estimate-coverage.ts';
import { median } from '../shared/load.ts';
import { printTable } from '../shared/table.ts';
import { type GeneratedSite, generateSite, LOSSES, type Loss } from './generated-sites.ts';

const GOALS = { held: 0.93, error: 0.02 };
const TURNS = { isOver: false, next: async () => undefined };

/** The estimate of one generated site against its true number of pages. */
interface Scored {
  readonly site: GeneratedSite;
  /** Absent: no estimate. */
  readonly estimate?: { readonly isHeld: boolean; readonly error: number; readonly width: number };
}

async function scored(seed: number, loss?: Loss): Promise<Scored> {
  const site = generateSite(seed, loss);
  const { estimate } = await estimateCoverage(site.cells, site.sources, TURNS);
  if (estimate === undefined) return { site };
  const { pages, low, high } = estimate;
  return {
    site,
    estimate: {
      isHeld: low <= site.pages && site.pages <= high,
      error: Math.abs(pages - site.pages) / site.pages,
      width: (high - low) / site.pages,
    },
  };
}

/** Share of estimates whose interval holds the truth, and their median error and width. */
export interface Score {
  readonly sites: number;
  readonly estimates: number;
  readonly held: number;
  readonly error: number;
  readonly width: number;
}

function scoreOf(all: readonly Scored[]): Score {
  const given = all.flatMap(({ estimate }) => (estimate === undefined ? [] : [estimate]));
  return {
    sites: all.length,
    estimates: given.length,
    held: given.filter(({ isHeld }) => isHeld).length / Math.max(1, given.length),
    error: median(given.map(({ error }) => error)),
    width: median(given.map(({ width }) => width)),
  };
}

const rowOf = (name: string, { sites, estimates, held, error, width }: Score): string[] => [
  name,
  String(sites),
  String(estimates),
  held.toFixed(3),
  `${(100 * error).toFixed(2)} %`,
  `${(100 * width).toFixed(1)} %`,
];

/** Scores the estimates of `seeds` generated sites and prints them by the way in which their sources lose pages. @returns whether the goals are met */
export async function scoreEstimates(seeds: number): Promise<boolean> {
  const all: Scored[] = [];
  for (let seed = 0; seed < seeds; seed += 1) all.push(await scored(seed));
  const hidden: Scored[] = [];
  for (let seed = 0; seed < seeds / 10; seed += 1) hidden.push(await scored(seed, 'hidden'));
  const total = scoreOf(all);
  printTable(
    ['loss of pages', 'sites', 'estimates', '95 % interval holds the truth', 'median error', 'median width'],
    [
      ...LOSSES.map((loss) => rowOf(loss, scoreOf(all.filter(({ site }) => site.loss === loss)))),
      ...[2, 3, 4, 5].map((count) =>
        rowOf(`${count} sources`, scoreOf(all.filter(({ site }) => site.sources === count))),
      ),
      rowOf('all', total),
      rowOf('hidden: two dependent sources (no goal)', scoreOf(hidden)),
    ],
  );
  const [isHeld, isExact] = [total.held >= GOALS.held, total.error <= GOALS.error];
  console.log(`interval holds the truth in ${total.held.toFixed(3)}, goal ${GOALS.held}: ${isHeld ? 'met' : 'MISSED'}`);
  console.log(
    `median error ${(100 * total.error).toFixed(2)} %, goal ${100 * GOALS.error} %: ${isExact ? 'met' : 'MISSED'}`,
  );
  return isHeld && isExact;
}
