import { printTable } from '../shared/table.ts';

/** Goal of one figure. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  /** Whether the goal is a ratio to the rival's figure of the same run. */
  readonly isRatio: boolean;
  holds(tidemark: number, rival: number): boolean;
}

const atMost = (what: string, limit: number, goal = `<= ${limit}`): Goal => ({
  what,
  goal,
  isRatio: false,
  holds: (tidemark) => tidemark <= limit,
});

const atLeast = (what: string, limit: number, goal = `>= ${limit}`): Goal => ({
  what,
  goal,
  isRatio: false,
  holds: (tidemark) => tidemark >= limit,
});

const none = (what: string): Goal => atMost(what, 0, '0');

const timesRival = (what: string, factor: number, goal: string): Goal => ({
  what,
  goal,
  isRatio: true,
  holds: (tidemark, rival) => tidemark >= factor * rival,
});

/** Goals of the figures that a crawl or a ladder run measures. */
export const GOALS = {
  speed: timesRival('crawl, links + markdown + html kept: pages/s', 4, '>= 4 x Crawlee persist (stretch 6 x)'),
  cpu: atMost('CPU ms a page, everything counted', 8, '<= 8 (10 at worst)'),
  memory: atMost('peak memory without browser, MB PSS', 900),
  idle: atMost('idle fleet with databases, MB PSS', 1_200),
  recall: atLeast('recall of what plain http reaches', 1, '1.000'),
  recallLimited: atLeast('recall, limited pages', 1, '1.000'),
  recallFlaky: atLeast('recall, flaky pages', 1, '1.000'),
  duplicates: none('duplicate rows'),
  refetches: atMost('refetches beyond retries, seen by the site', 50, '<= 50 (in flight)'),
  robots: none('robots violations'),
  frontier: atMost('frontier (connections of crawl): pg ms a URL', 0.3),
  storage: atMost('storage (of archive and scrape): pg ms a page', 1),
  queries: atMost('queries a page', 0.3),
  limitedGot: atLeast('429 section at 1/s: pages got of 20', 20, '20'),
  tooSoon: atMost('429 section: requests too soon', 10),
  drawn: atMost('429 section: responses with 429', 30),
  againSpeed: atLeast('unchanged site again: pages/s against the first run', 2, '>= 2 x'),
  againBytes: atMost('unchanged site again: bytes against the first run, %', 15),
  againModified: none('unchanged site again: rows modified, of those compared'),
  againLinks: none('unchanged site again: rows whose links were lost'),
  slowHost: atMost('ten hosts, one slow: time against the slow one alone', 1.2, '<= 1.2 x'),
  fastHosts: atMost('nine hosts with a slow one: time against the nine alone', 1.2, '<= 1.2 x'),
  cancel: atMost('cancel: seconds from DELETE to the last fetch', 2),
  memoryLarge: atMost('peak memory at 50,000 pages, MB PSS', 900),
  memoryGrowth: atMost('peak memory, 50,000 against 5,000 pages, %', 10, '<= +10'),
  ladderRight: atLeast('ladder, 120 plain + 30 script pages: right', 150, '150'),
  ladderRuns: atMost('ladder: browser runs', 33),
  ladderSpeed: timesRival('ladder: pages/s', 1.5, '>= 1.5 x Crawlee adaptive'),
  ladderServer: none('ladder: server-rendered apps climbed'),
  scaleOut: atLeast('pages/s of two scrape processes against one', 1.5, '>= 1.5 x'),
} satisfies Record<string, Goal>;
export type GoalName = keyof typeof GOALS;

/** Figures that other commands measure. */
export const ELSEWHERE: readonly (readonly [what: string, command: string])[] = [
  ['kill -9 in the middle', 'npm run test:faults'],
  ['map, 47,000 URLs in 50 files', 'npm run bench -- map'],
  ['browser pages/s, 4 tabs', 'npm run bench -- browser'],
  ['ladder on 120 plain + 30 script pages', 'npm run bench -- ladder'],
  ['one scrape over http, added to a raw fetch', 'npm run bench -- scrape'],
  ['the zoo', 'npm run eval -- zoo'],
  ['a second scrape process', 'npm run bench -- scale-out'],
];

/** Formats a figure: whole numbers without decimals, small ones with significant digits. */
const formatted = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1);

/** A rival's figure of the same run. */
export interface Rival {
  readonly name: string;
  readonly value: number;
  /** The load of other processes differed too much for a ratio of speeds. */
  readonly uneven?: boolean;
}

/** Prints each figure with its rival's of the same run and its goal as it is measured, and all of them at the end. */
export class Scoreboard {
  readonly #rows: (readonly string[])[] = [];

  /** Prints and keeps a line. A ratio to a rival that did not run is neither met nor missed. */
  add(name: GoalName, tidemark: number, rival?: Rival): void {
    const goal: Goal = GOALS[name];
    const ratio = goal.isRatio && rival !== undefined ? ` (${(tidemark / rival.value).toFixed(1)} x)` : '';
    const row = [
      goal.what,
      rival === undefined ? '-' : `${formatted(rival.value)} ${rival.name}`,
      goal.goal,
      `${formatted(tidemark)}${ratio}`,
      verdictOf(goal, tidemark, rival),
    ];
    this.#rows.push(row);
    console.log(`  ${row.join(' | ')}`);
  }

  /** Prints the table of all figures and the commands that measure the others. */
  print(elsewhere: readonly (readonly [string, string])[] = []): void {
    console.log('');
    printTable(['what', 'rival', 'goal', 'Tidemark', ''], this.#rows);
    for (const [what, command] of elsewhere) console.log(`elsewhere: ${what} (${command})`);
  }
}

function verdictOf(goal: Goal, tidemark: number, rival: Rival | undefined): string {
  if (goal.isRatio && rival === undefined) return 'not compared';
  const verdict = goal.holds(tidemark, rival?.value ?? Number.NaN) ? 'met' : 'MISSED';
  return rival?.uneven === true ? `UNPROVEN, load uneven (${verdict})` : verdict;
}
