import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';
import { ABORTED, type Failure, failureOf } from './failures.ts';

/** Thrown inside a render where the page has no content to give. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** The page itself went on to an address that can't be had: what it showed before is not what it is. @throws Unreadable */
export function failWhereNothingLanded(tab: Tab, { failed }: Activity): void {
  if (failed === undefined || failed.error === ABORTED) return;
  throw new Unreadable(explain(tab, failed.url, failed.error));
}

/** Chromium reports only that its proxy failed; the egress proxy keeps the cause. */
export function explain(tab: Tab, href: string, error: string): Failure {
  if (tab.egressProxy.isOverLimit) return 'too_large';
  const url = URL.parse(href);
  const fault = url === null ? undefined : tab.egressProxy.faultAt(url);
  return fault === undefined || fault === 'refused' ? failureOf(error) : fault;
}
