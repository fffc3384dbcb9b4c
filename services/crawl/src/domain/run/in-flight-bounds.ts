/** Bounds of the pages of a run that are being fetched, queued at a worker, or reported but not yet recorded. */
export interface InFlightBounds {
  readonly perHost: number;
  readonly perRun: number;
}

/** Pages of a host per concurrent fetch that it allows. */
const PER_FETCH = 6;
const MIN_PER_HOST = 32;
const MAX_PER_RUN = 400;
/** Time of the pages that a worker holds ahead for a host with a delay, ms: longer than a claim, its message and its result take. */
const AHEAD_MS = 4_000;
/** With a delay: one page that waits for it, and one behind it. */
const MIN_DELAYED = 2;
/** Pages of a run with a delay. Nearly all of them wait for their hosts, and take a record of some hundred bytes each. */
const MAX_DELAYED_PER_RUN = 2_400;

/**
 * Returns how many pages may be in flight. A delay limits the rate of each host, so that few pages of it suffice: what a run fetches each second
 * then depends on the number of its hosts in flight. With the bounds of a run without a delay, a dozen hosts would fill the run.
 */
export function inFlightBounds({
  concurrency,
  delayMs,
}: {
  readonly concurrency: number;
  readonly delayMs: number;
}): InFlightBounds {
  const perHost = Math.min(MAX_PER_RUN, Math.max(MIN_PER_HOST, concurrency * PER_FETCH));
  if (delayMs === 0) return { perHost, perRun: MAX_PER_RUN };
  const delayed = Math.max(MIN_DELAYED, Math.ceil(AHEAD_MS / delayMs));
  return { perHost: Math.min(perHost, delayed), perRun: MAX_DELAYED_PER_RUN };
}

/**
 * Returns whether the pages in flight keep the workers busy for a while: the next claim may then wait for more results. A claim, its lease of
 * credits and its work messages cost nearly the same for one page and for fifty.
 */
export const isSupplied = ({ perHost }: InFlightBounds, inFlight: number): boolean => inFlight >= perHost / 2;

/** Most pages of any run in flight. */
export const MAX_IN_FLIGHT: number = MAX_DELAYED_PER_RUN;
