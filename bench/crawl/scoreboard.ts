import { printTable } from '../shared/table.ts';

/** Goal of one figure, and the rivals' figure. */
export interface Goal {
  readonly what: string;
  /** An earlier measurement of the rival; shown where the rival does not run. */
  readonly rival: string;
  readonly goal: string;
  /** The same figure as a number, where the goal is a ratio to it. */
  readonly rivalFigure?: number;
  holds(tidemark: number, rival: number): boolean;
}

const most = (limit: number) => (tidemark: number) => tidemark <= limit;
const least = (limit: number) => (tidemark: number) => tidemark >= limit;
const whole = most(0);

/** Goals of the figures that a crawl or a ladder run measures. */
export const GOALS = {
  speed: {
    what: 'crawl, links + markdown + html kept: pages/s',
    rival: '28, Crawlee persist',
    rivalFigure: 28,
    goal: '>= 4 x Crawlee persist (stretch 6 x)',
    holds: (tidemark, rival) => tidemark >= 4 * rival,
  },
  cpu: { what: 'CPU ms a page, everything counted', rival: '25, Crawlee', goal: '<= 8 (10 at worst)', holds: most(8) },
  memory: {
    what: 'peak memory without browser, MB PSS',
    rival: '2300, Crawlee persist',
    goal: '<= 900',
    holds: most(900),
  },
  idle: { what: 'idle fleet with databases, MB PSS', rival: '-', goal: '<= 1200', holds: most(1_200) },
  recall: { what: 'recall of what plain http reaches', rival: '1.000', goal: '1.000', holds: least(1) },
  recallLimited: { what: 'recall, limited pages', rival: '1.000', goal: '1.000', holds: least(1) },
  recallFlaky: { what: 'recall, flaky pages', rival: '1.000', goal: '1.000', holds: least(1) },
  duplicates: { what: 'duplicate rows', rival: '0', goal: '0', holds: whole },
  refetches: {
    what: 'refetches beyond retries, seen by the site',
    rival: '-',
    goal: '<= 50 (in flight)',
    holds: most(50),
  },
  robots: { what: 'robots violations', rival: '0', goal: '0', holds: whole },
  frontier: {
    what: 'frontier (connections of crawl): pg ms a URL',
    rival: '0.15, floor',
    goal: '<= 0.3',
    holds: most(0.3),
  },
  storage: { what: 'storage (of archive and scrape): pg ms a page', rival: '0.8, floor', goal: '<= 1', holds: most(1) },
  queries: { what: 'queries a page', rival: '0.07 to 0.15, floor', goal: '<= 0.3', holds: most(0.3) },
  limitedGot: {
    what: '429 section at 1/s: pages got of 20',
    rival: '16 Crawlee, 11 Scrapy',
    goal: '20',
    holds: least(20),
  },
  tooSoon: { what: '429 section: requests too soon', rival: '44 Crawlee, 52 Scrapy', goal: '<= 10', holds: most(10) },
  drawn: { what: '429 section: 429s drawn', rival: '48 Crawlee, 60 Scrapy', goal: '<= 30', holds: most(30) },
  againSpeed: {
    what: 'unchanged site again: pages/s against the first run',
    rival: '1323/s, floor',
    goal: '>= 2 x',
    holds: least(2),
  },
  againBytes: {
    what: 'unchanged site again: bytes against the first run, %',
    rival: '6, floor',
    goal: '<= 15',
    holds: most(15),
  },
  againModified: {
    what: 'unchanged site again: rows modified, of those compared',
    rival: '-',
    goal: '0',
    holds: whole,
  },
  againLinks: { what: 'unchanged site again: rows whose links were lost', rival: '-', goal: '0', holds: whole },
  slowHost: {
    what: 'ten hosts, one slow: time against the slow one alone',
    rival: '-',
    goal: '<= 1.2 x',
    holds: most(1.2),
  },
  fastHosts: {
    what: 'nine hosts with a slow one: time against the nine alone',
    rival: '-',
    goal: '<= 1.2 x',
    holds: most(1.2),
  },
  cancel: { what: 'cancel: seconds from DELETE to the last fetch', rival: '-', goal: '<= 2', holds: most(2) },
  memoryLarge: { what: 'peak memory at 50,000 pages, MB PSS', rival: '-', goal: '<= 900', holds: most(900) },
  memoryGrowth: { what: 'peak memory, 50,000 against 5,000 pages, %', rival: '-', goal: '<= +10', holds: most(10) },
  ladderRight: {
    what: 'ladder, 120 plain + 30 script pages: right',
    rival: '150, Crawlee adaptive',
    goal: '150',
    holds: least(150),
  },
  ladderRuns: { what: 'ladder: browser runs', rival: '42, Crawlee adaptive', goal: '<= 33', holds: most(33) },
  ladderSpeed: {
    what: 'ladder: pages/s',
    rival: '4.9, Crawlee adaptive',
    rivalFigure: 4.9,
    goal: '>= 1.5 x Crawlee adaptive',
    holds: (tidemark, rival) => tidemark >= 1.5 * rival,
  },
  ladderServer: { what: 'ladder: server-rendered apps climbed', rival: '-', goal: '0', holds: whole },
  scaleOut: { what: 'pages/s of two scrape processes against one', rival: '-', goal: '>= 1.5 x', holds: least(1.5) },
} satisfies Record<string, Goal>;
export type GoalName = keyof typeof GOALS;

/** Figures that other commands measure. */
export const ELSEWHERE: readonly (readonly [what: string, command: string])[] = [
  ['kill -9 in the middle', 'npm run test:faults'],
  ['map, 47,298 URLs in 50 files', 'npm run bench -- map'],
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

/** Prints each figure with its rival and goal as it is measured, and all of them at the end. */
export class Scoreboard {
  readonly #rows: (readonly string[])[] = [];

  /** Prints and keeps a line. A rival that did not run is shown by an earlier, marked figure. */
  add(name: GoalName, tidemark: number, rival?: Rival): void {
    const goal: Goal = GOALS[name];
    const rivalText =
      rival === undefined
        ? `${goal.rival}${goal.rival === '-' ? '' : ' *'}`
        : `${formatted(rival.value)} ${rival.name}`;
    const against = rival?.value ?? goal.rivalFigure ?? Number.NaN;
    const ratio = goal.rivalFigure === undefined ? '' : ` (${(tidemark / against).toFixed(1)} x)`;
    const verdict = goal.holds(tidemark, against) ? 'met' : 'MISSED';
    const row = [
      goal.what,
      rivalText,
      goal.goal,
      `${formatted(tidemark)}${ratio}`,
      rival?.uneven === true ? `UNPROVEN, load uneven (${verdict})` : verdict,
    ];
    this.#rows.push(row);
    console.log(`  ${row.join(' | ')}`);
  }

  /** Prints the table of all figures and the commands that measure the others. */
  print(elsewhere: readonly (readonly [string, string])[] = []): void {
    console.log('');
    printTable(['what', 'rival', 'goal', 'Tidemark', ''], this.#rows);
    console.log('* measured earlier on another day; rivals without the mark ran in this run');
    for (const [what, command] of elsewhere) console.log(`elsewhere: ${what} (${command})`);
  }
}
