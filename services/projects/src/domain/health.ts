import type { StopReason } from '@tidemark/contracts/stop-reasons';
import { pagesRead } from '@tidemark/contracts/verdicts';
import type { Health, LastRun } from './project.ts';

/** Stop reasons caused by the site or its login, with the reason of the health. */
const FAILING_STOPS: Partial<Readonly<Record<StopReason, string>>> = {
  site_down: 'the site did not respond',
  login_dead: 'the saved login was not signed in any more',
};

type FinishedRun = Pick<LastRun, 'status' | 'stop' | 'error' | 'counts'>;

/** Whether the credits ran out before the first page. */
const isUnpaid = ({ stop, counts }: FinishedRun): boolean =>
  stop === 'credit_limit' && Object.values(counts).every((pages) => pages === 0);

/** Health of the site that a finished run shows; undefined if it shows nothing. */
export function healthAfter(run: FinishedRun): Exclude<Health, 'never'> | undefined {
  if (run.status === 'cancelled' || isUnpaid(run)) return undefined;
  const isFailing = run.status === 'error' || failingStop(run) !== undefined || pagesRead(run.counts) === 0;
  return isFailing ? 'failing' : 'ok';
}

const failingStop = ({ stop }: FinishedRun): string | undefined =>
  stop === undefined ? undefined : FAILING_STOPS[stop];

/** The change to publish; undefined if there is none: a first run that reads pages is not a recovery. */
export function healthChange(before: Health, after: Health): 'failing' | 'recovered' | undefined {
  if (before === after) return undefined;
  if (after === 'failing') return 'failing';
  return before === 'failing' ? 'recovered' : undefined;
}

/** Evidence for the health, in words. */
export function healthReason(run: FinishedRun): string {
  if (run.status === 'error') return run.error ?? 'the run failed with an internal error';
  const stopped = failingStop(run);
  if (stopped !== undefined) return stopped;
  const read = pagesRead(run.counts);
  if (read > 0) return read === 1 ? 'a page was read' : `${read} pages were read`;
  const counted = Object.entries(run.counts).filter(([, pages]) => pages > 0);
  const list = counted.map(([verdict, pages]) => `${pages} ${verdict}`).join(', ');
  return list === '' ? 'no page could be read' : `no page could be read: ${list}`;
}
