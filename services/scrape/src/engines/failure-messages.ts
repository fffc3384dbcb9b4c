import type { RenderFailure } from '@tidemark/contracts/browser/v1/browser';

const MESSAGES: Readonly<Record<RenderFailure, string>> = {
  timeout: 'the page did not finish in the browser in time',
  dns: 'the host name could not be resolved',
  refused: 'the site could not be reached',
  reset: 'the connection was closed before the response was complete',
  tls: 'no secure connection could be made',
  too_large: 'the page is larger than the limit',
  egress: 'the address is not on the public web and is not fetched',
  crashed: 'the page crashed the browser twice',
  exit: 'the exit could not be used',
  protocol: 'the response is not valid HTTP',
};

/** Returns the message of a failure of browser-pool. */
export const messageOfFailure = (failure: RenderFailure): string => MESSAGES[failure];
