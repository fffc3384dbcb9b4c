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
  site_down: 'Check that the URL is right and the site is online, then run again.',
  refused:
    'Open a page of the site in a browser: if it is readable there, set “Use a browser” to “For every page”, or use an exit or a saved login in the settings.',
  robots:
    'If you own the site, allow Tidemark in robots.txt or switch off “Obey robots.txt” in the settings; otherwise its owner must allow it.',
  login_dead: 'Save the login again, then run again.',
};

export const runStops = { stops, advice } as const;
