import type { RunSummary } from '@tidemark/sdk';

type Stop = NonNullable<RunSummary['stop']>;

/** Why a run ended. */
const stops: Readonly<Record<Stop, string>> = {
  finished: 'nothing was left to visit',
  page_limit: 'its page limit was reached',
  credit_limit: 'the credits ran out',
  time_limit: 'its time limit was reached',
  cancelled: 'it was cancelled',
  login_dead: 'its saved login is not signed in any more',
  site_down: 'the site did not respond',
  refused: 'the site refused every page',
  robots: 'robots.txt disallows every page',
};

/** What to do about a run of which no page could be read. */
const advice: Partial<Readonly<Record<Stop, string>>> = {
  site_down: 'Check that the address is right and the site is online, then run again.',
  refused:
    'Open a page of the site in a browser: if it is readable there, set “Use a browser” to “For every page”, or use an exit or a saved login in the settings.',
  robots:
    'If you own the site, allow Tidemark in robots.txt or switch off “Obey robots.txt” in the settings; otherwise its owner must allow it.',
  login_dead: 'Save the login again, then run again.',
};

export const runs = {
  title: 'Runs',
  noRun: 'No run yet',
  noRunHint: 'The first run reads the site. Later runs report what changed.',
  start: 'Run now',
  started: 'The run has started.',
  underWay: 'See the run in progress',
  settings: 'Settings',
  columns: {
    started: 'Started',
    status: 'Status',
    pages: 'Pages',
    changes: 'Changes',
    credits: 'Credits',
    took: 'Duration',
    trigger: 'Trigger',
  },
  triggers: { manual: 'by hand', schedule: 'schedule', api: 'API', recrawl: 'chosen pages', crawl: 'crawl' },
  changeCounts: (added: string, removed: string, modified: string) => `+${added} −${removed} ~${modified}`,
  changeCountsLong: (added: string, removed: string, modified: string) =>
    `${added} added, ${removed} removed, ${modified} modified`,
  kinds: { added: 'added', modified: 'modified', removed: 'removed' },
  comparing: 'comparing…',
  stops,
  advice,
  /** A run that failed for an internal reason. */
  internalAdvice: 'Run again. If it fails again, report the id of the run to the operator.',
  keptState: 'Pages, exports and search show the last run that read pages.',
  health: 'Health',
  schedule: 'Schedule',
  nextRun: 'Next run',
  lastRun: 'Last run',
  noSchedule: 'by hand only',
  history: 'History',
  chart: 'Changes per run, oldest first',
  run: {
    title: (when: string) => `Run of ${when}`,
    crumb: 'Run',
    cancel: 'Cancel the run',
    cancelled: 'The run is being cancelled.',
    pause: 'Pause',
    resume: 'Continue',
    paused: 'paused',
    progress: 'Progress',
    queued: (count: string) => `${count} in the queue`,
    rate: (pages: string) => `${pages} pages per minute`,
    live: { connecting: 'connecting', open: 'live', polling: 'refreshed every 3 s', ended: 'ended' },
    verdicts: 'Outcome of every page',
    engines: 'Engines',
    engine: (pages: string, credits: string, ms: string) => `${pages}, ${credits}, median ${ms}`,
    noEngine: 'no engine',
    log: 'Log',
    noLog: 'The log has no entries.',
    newest: 'Newest pages',
    stop: 'Why it stopped',
    held: 'Hosts that wait',
    heldUntil: (host: string, until: string, why: string) => `${host} until ${until}: ${why}`,
    traps: 'Patterns that were cut off',
    trap: (pattern: string, count: string, why: string) => `${pattern} (${count}): ${why}`,
    started: 'Started',
    took: 'Duration',
    credits: 'Credits',
    pages: 'Pages',
    seeChanges: 'See the changes',
  },
} as const;
