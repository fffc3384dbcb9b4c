import type { Health, LastRun } from './project.ts';

/** Verdicts of pages that were read, however little there was to read. */
const READ: readonly string[] = ['ok', 'thin', 'skipped', 'cached'];
/** Stops that are the site's doing, or its login's. */
const FAILING_STOPS: Readonly<Record<string, string>> = {
  site_down: 'the site gave no answer',
  login_dead: 'nobody was signed in any more',
};

type Ended = Pick<LastRun, 'status' | 'stop' | 'counts'>;

const readOf = ({ counts }: Ended): number => READ.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);

/** Whether the credits ran out before the site was heard of. */
const isUnpaid = ({ stop, counts }: Ended): boolean =>
  stop === 'credit_limit' && Object.values(counts).every((pages) => pages === 0);

/** What a run says of the health of its site; undefined where it says nothing. */
export function healthAfter(run: Ended): Exclude<Health, 'never'> | undefined {
  if (run.status === 'cancelled' || isUnpaid(run)) return undefined;
  const isFailing = run.status === 'error' || FAILING_STOPS[run.stop] !== undefined || readOf(run) === 0;
  return isFailing ? 'failing' : 'ok';
}

/** What is told of a change of health; undefined where there is nothing to tell: a first run that reads is no recovery. */
export function changeOfHealth(was: Health, is: Health): 'failing' | 'recovered' | undefined {
  if (was === is) return undefined;
  if (is === 'failing') return 'failing';
  return was === 'failing' ? 'recovered' : undefined;
}

/** What the health of its site is known by, in words. */
export function whyHealth(run: Ended): string {
  if (run.status === 'error') return 'the run ended by a fault of ours';
  const stopped = FAILING_STOPS[run.stop];
  if (stopped !== undefined) return stopped;
  const read = readOf(run);
  if (read > 0) return read === 1 ? 'a page was read' : `${read} pages were read`;
  const met = Object.entries(run.counts).filter(([, pages]) => pages > 0);
  const list = met.map(([verdict, pages]) => `${pages} ${verdict}`).join(', ');
  return list === '' ? 'no page could be read' : `no page could be read: ${list}`;
}
