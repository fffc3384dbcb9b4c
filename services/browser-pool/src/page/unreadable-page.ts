import type { Tab } from '../chromium/tab.ts';
import { ABORTED, type Failure, failureOf } from './failures.ts';
import type { NetworkActivity } from './network-activity.ts';

/** The page has no content that can be read. */
export class UnreadablePage extends Error {
  override readonly name = 'Unreadable';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** Throws UnreadablePage if the page has navigated to a URL that failed; its previous document must not be read. */
export function throwIfNavigationFailed(tab: Tab, { failedNavigation }: NetworkActivity): void {
  if (failedNavigation === undefined || failedNavigation.error === ABORTED) return;
  throw new UnreadablePage(explainFailure(tab, failedNavigation.url, failedNavigation.error));
}

/** Returns the failure of a navigation. Chromium reports a generic proxy error; the egress proxy records the cause. */
export function explainFailure(tab: Tab, href: string, error: string): Failure {
  if (tab.egressProxy.isOverLimit) return 'too_large';
  const url = URL.parse(href);
  const failure = url === null ? undefined : tab.egressProxy.failureAt(url);
  return failure === undefined || failure === 'refused' ? failureOf(error) : failure;
}
