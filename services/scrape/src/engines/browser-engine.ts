import { BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import type { Peer } from '@tidemark/service';
import type { Budget, Engine, Fetched, FetchOrder, Unanswered } from '../domain/ports.ts';
import { isValidCookie, liveCookies, rejectedCookieWarning, toCookieValue } from './login-cookies.ts';
import { unanswered } from './unanswered.ts';

/** Messages by failure of RenderResponse. */
const FAILURE_MESSAGES: Readonly<Record<string, string>> = {
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

/** Renders pages in browser-pool. */
export class BrowserEngine implements Engine {
  readonly tier = 'browser' as const;
  readonly #pool: Peer;

  constructor(pool: Peer) {
    this.#pool = pool;
  }

  async fetch(order: FetchOrder, budget: Budget): Promise<Fetched | Unanswered> {
    const remainingMs = Math.min(order.options.timeoutSeconds * 1000, budget.remainingMs());
    return this.#render(order, budget.signal, remainingMs);
  }

  async #render(order: FetchOrder, signal: AbortSignal, remainingMs: number): Promise<Fetched | Unanswered> {
    const { url, options, workspaceId, exit } = order;
    const timeoutMs = Math.max(1, Math.floor(remainingMs));
    const { cookies, rejected } = cookiesOf(order);
    const hasScreenshot = options.screenshot !== 'none';
    const response = await this.#pool.call(
      Rpc.render,
      {
        url,
        timeoutMs,
        screenshot: hasScreenshot,
        fullPage: options.screenshot === 'full',
        blockResources: options.blockResources,
        workspaceId,
        headers: toPairs(options.headers),
        cookies,
        userAgent: options.userAgent,
        device: options.device,
        waitFor: options.waitFor,
        actions: options.actions,
        exitLeaseId: exit?.leaseId,
        // No session, since its pages would be rendered sequentially.
      },
      { requestId: '' },
      // browser-pool enforces the timeout; this deadline covers an instance that has failed.
      { deadlineMs: timeoutMs + 5_000, signal },
    );
    if (response.failure !== undefined)
      return unanswered(response.failure, FAILURE_MESSAGES[response.failure] ?? 'the browser received no page');
    return {
      kind: 'fetched',
      status: response.httpStatus,
      headers: Object.fromEntries(response.headers.map(({ name, value }) => [name, value])),
      body: Buffer.from(response.html),
      contentType: 'text/html; charset=utf-8',
      landedUrl: response.landedUrl,
      redirects: response.redirects,
      ...(response.screenshot.length === 0 ? {} : { screenshot: response.screenshot }),
      warnings: [...response.warnings, ...rejected.map(rejectedCookieWarning)],
      actions: response.actions,
      exitBytes: response.exitBytes,
    };
  }
}

interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

const toPairs = (values: Readonly<Record<string, string>>): NameAndValue[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Cookies of the login keep their attributes; the caller's are for the host of the page only and override equal names. */
function cookiesOf({ options, login }: FetchOrder): { cookies: NameAndValue[]; rejected: string[] } {
  const requested = toPairs(options.cookies);
  const rejected = requested.filter(({ name, value }) => !isValidCookie(name, value));
  const loginCookies = login === undefined ? [] : liveCookies(login.cookies, new Date());
  return {
    cookies: [
      ...loginCookies.map((cookie) => ({ name: cookie.name, value: toCookieValue(cookie) })),
      ...requested.filter((cookie) => !rejected.includes(cookie)),
    ],
    rejected: rejected.map(({ name }) => name),
  };
}
