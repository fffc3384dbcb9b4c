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

interface Shown {
  /** An earlier measurement of the rival. */
  readonly rival?: string;
  /** The goal in words; by default the limit. */
  readonly goal?: string;
}

const atMost = (what: string, limit: number, { rival = '-', goal = `<= ${limit}` }: Shown = {}): Goal => ({
  ...{ what, rival, goal },
  holds: (tidemark) => tidemark <= limit,
});

const atLeast = (what: string, limit: number, { rival = '-', goal = `>= ${limit}` }: Shown = {}): Goal => ({
  ...{ what, rival, goal },
  holds: (tidemark) => tidemark >= limit,
});

const none = (what: string, rival = '-'): Goal => atMost(what, 0, { rival, goal: '0' });

/** Goals of the figures that a crawl or a ladder run measures. */
export const GOALS = {
  speed: {
    what: 'crawl, links + markdown + html kept: pages/s',
    rival: '28, Crawlee persist',
    rivalFigure: 28,
    goal: '>= 4 x Crawlee persist (stretch 6 x)',
    holds: (tidemark, rival) => tidemark >= 4 * rival,
  },
  cpu: atMost('CPU ms a page, everything counted', 8, { rival: '25, Crawlee', goal: '<= 8 (10 at worst)' }),
  memory: atMost('peak memory without browser, MB PSS', 900, { rival: '2300, Crawlee persist' }),
  idle: atMost('idle fleet with databases, MB PSS', 1_200),
  recall: atLeast('recall of what plain http reaches', 1, { rival: '1.000', goal: '1.000' }),
  recallLimited: atLeast('recall, limited pages', 1, { rival: '1.000', goal: '1.000' }),
  recallFlaky: atLeast('recall, flaky pages', 1, { rival: '1.000', goal: '1.000' }),
  duplicates: none('duplicate rows', '0'),
  refetches: atMost('refetches beyond retries, seen by the site', 50, { goal: '<= 50 (in flight)' }),
  robots: none('robots violations', '0'),
  frontier: atMost('frontier (connections of crawl): pg ms a URL', 0.3, { rival: '0.15, floor' }),
  storage: atMost('storage (of archive and scrape): pg ms a page', 1, { rival: '0.8, floor' }),
  queries: atMost('queries a page', 0.3, { rival: '0.07 to 0.15, floor' }),
  limitedGot: atLeast('429 section at 1/s: pages got of 20', 20, { rival: '16 Crawlee, 11 Scrapy', goal: '20' }),
  tooSoon: atMost('429 section: requests too soon', 10, { rival: '44 Crawlee, 52 Scrapy' }),
  drawn: atMost('429 section: responses with 429', 30, { rival: '48 Crawlee, 60 Scrapy' }),
  againSpeed: atLeast('unchanged site again: pages/s against the first run', 2, {
    ...{ rival: '1323/s, floor', goal: '>= 2 x' },
  }),
  againBytes: atMost('unchanged site again: bytes against the first run, %', 15, { rival: '6, floor' }),
  againModified: none('unchanged site again: rows modified, of those compared'),
  againLinks: none('unchanged site again: rows whose links were lost'),
  slowHost: atMost('ten hosts, one slow: time against the slow one alone', 1.2, { goal: '<= 1.2 x' }),
  fastHosts: atMost('nine hosts with a slow one: time against the nine alone', 1.2, { goal: '<= 1.2 x' }),
  cancel: atMost('cancel: seconds from DELETE to the last fetch', 2),
  memoryLarge: atMost('peak memory at 50,000 pages, MB PSS', 900),
  memoryGrowth: atMost('peak memory, 50,000 against 5,000 pages, %', 10, { goal: '<= +10' }),
  ladderRight: atLeast('ladder, 120 plain + 30 script pages: right', 150, {
    ...{ rival: '150, Crawlee adaptive', goal: '150' },
  }),
  ladderRuns: atMost('ladder: browser runs', 33, { rival: '42, Crawlee adaptive' }),
  ladderSpeed: {
    what: 'ladder: pages/s',
    rival: '4.9, Crawlee adaptive',
    rivalFigure: 4.9,
    goal: '>= 1.5 x Crawlee adaptive',
    holds: (tidemark, rival) => tidemark >= 1.5 * rival,
  },
  ladderServer: none('ladder: server-rendered apps climbed'),
  scaleOut: atLeast('pages/s of two scrape processes against one', 1.5, { goal: '>= 1.5 x' }),
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
