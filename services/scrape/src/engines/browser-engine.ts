import { BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import type { Peer } from '@tidemark/service';
import type { Budget, Engine, Fetched, FetchOrder, Unanswered } from '../domain/ports.ts';
import { isFit, liveCookies, notSent, withAttributes } from './login-cookies.ts';
import { unanswered } from './unanswered.ts';

/** Messages of render failures. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'the page did not finish in the browser in time',
  dns: 'the host name could not be resolved',
  refused: 'the site could not be reached',
  reset: 'the connection was closed before the response was complete',
  tls: 'no secure connection could be made',
  too_large: 'the page is larger than the limit',
  egress: 'the address is not on the public web and is not fetched',
  crashed: 'the page crashed the browser twice',
  exit: 'the exit could not be used',
  protocol: 'the response was not valid HTTP',
};

/** Renders pages in browser-pool. */
export class BrowserEngine implements Engine {
  readonly tier = 'browser' as const;
  readonly #pool: Peer;

  constructor(pool: Peer) {
    this.#pool = pool;
  }

  async fetch(order: FetchOrder, budget: Budget): Promise<Fetched | Unanswered> {
    const { url, options, workspaceId, exit } = order;
    const timeoutMs = Math.floor(Math.min(options.timeoutSeconds * 1000, budget.remainingMs()));
    const { cookies, unfit } = cookiesOf(order);
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
        headers: named(options.headers),
        cookies,
        userAgent: options.userAgent,
        device: options.device,
        waitFor: options.waitFor,
        actions: options.actions,
        exitLeaseId: exit?.leaseId ?? '',
        // Pages of one session would be rendered one after another.
        session: '',
      },
      { requestId: '' },
      // browser-pool enforces the deadline; this one covers a pool that does not respond.
      { deadlineMs: timeoutMs + 5_000, signal: budget.signal },
    );
    if (response.failure !== undefined)
      return unanswered(response.failure, FAILURES[response.failure] ?? 'the browser got no page');
    return {
      kind: 'fetched',
      status: response.httpStatus,
      headers: Object.fromEntries(response.headers.map(({ name, value }) => [name, value])),
      body: Buffer.from(response.html),
      contentType: 'text/html; charset=utf-8',
      landedUrl: response.landedUrl,
      redirects: response.redirects,
      ...(response.screenshot.length === 0 ? {} : { screenshot: response.screenshot }),
      warnings: [...response.warnings, ...unfit.map(notSent)],
      actions: response.actions,
      exitBytes: response.exitBytes,
    };
  }
}

interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

const named = (values: Readonly<Record<string, string>>): NameAndValue[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Returns the login's cookies with their attributes, and the caller's for the page's host, which take precedence. */
function cookiesOf({ options, login }: FetchOrder): { cookies: NameAndValue[]; unfit: string[] } {
  const requested = named(options.cookies);
  const unfit = requested.filter(({ name, value }) => !isFit(name, value));
  const saved = login === undefined ? [] : liveCookies(login.cookies, new Date());
  return {
    cookies: [
      ...saved.map((cookie) => ({ name: cookie.name, value: withAttributes(cookie) })),
      ...requested.filter((cookie) => !unfit.includes(cookie)),
    ],
    unfit: unfit.map(({ name }) => name),
  };
}
