import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CookieJar,
  FetchFailed,
  GuardedProxyUnreachable,
  type HttpClient,
  type HttpResponse,
  MOBILE_USER_AGENT,
} from '@tidemark/egress';
import type { Budget, Engine, Fetched, FetchOrder, NoResponse } from '../domain/ports.ts';
import { LargeBodies, type LargeBodyPermit } from './large-bodies.ts';
import { isValidCookie, rejectedCookieWarning } from './login-cookies.ts';
import { noResponse } from './no-response.ts';
import { retryWaitMs } from './retry-wait.ts';
import { SessionCookies } from './session-cookies.ts';

/** Maximum decoded bytes of a page. */
export const MAX_PAGE_BYTES = 20 * 1024 * 1024;

/** Default request headers of pages. */
export const ACCEPT = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en;q=0.9,*;q=0.5',
};

export interface HttpEngineDeps {
  readonly sessions: SessionCookies;
  readonly largeBodies: LargeBodies;
  /** From 0 to 1. */
  readonly random: () => number;
}

type PermittedOrder = FetchOrder & { readonly permit: LargeBodyPermit };

/** Outcome of the last attempt. */
interface Attempts {
  readonly outcome: HttpResponse | FetchFailed;
  readonly retries: number;
}

/** Fetches pages with the guarded HTTP client and repeats requests that got no response for a transient reason. */
export class HttpEngine implements Engine {
  readonly tier = 'http' as const;
  readonly #client: HttpClient;
  readonly #deps: HttpEngineDeps;

  constructor(client: HttpClient, deps: Partial<HttpEngineDeps> = {}) {
    this.#client = client;
    this.#deps = {
      sessions: new SessionCookies(),
      largeBodies: new LargeBodies(),
      random: Math.random,
      ...deps,
    };
  }

  async fetch(order: FetchOrder, budget: Budget): Promise<Fetched | NoResponse> {
    const permit = this.#deps.largeBodies.permitOf(order.workspaceId, budget.signal);
    let response: Fetched | NoResponse | undefined;
    try {
      response = await this.#fetch(order, budget, permit);
      return response.kind === 'fetched' ? { ...response, release: permit.release } : response;
    } finally {
      if (response?.kind !== 'fetched') permit.release();
    }
  }

  async #fetch(order: FetchOrder, budget: Budget, permit: LargeBodyPermit): Promise<Fetched | NoResponse> {
    const { session, workspaceId, exit, url, options, login } = order;
    const owner = { workspaceId, session, exit: exit?.name ?? '', loginId: options.loginId, login };
    const jar = this.#deps.sessions.jarOf(owner);
    const rejected = addCookies(jar, url, options.cookies);
    const { outcome, retries } = await this.#fetchWithRetries({ ...order, permit }, jar, budget);
    if (outcome instanceof FetchFailed) {
      const isExitUntested = outcome instanceof GuardedProxyUnreachable;
      return { ...noResponse(outcome.kind, outcome.message), ...(isExitUntested ? { isExitUntested } : {}) };
    }
    const contentType = outcome.headers['content-type'];
    return {
      kind: 'fetched',
      status: outcome.status,
      headers: outcome.headers,

      statusText: outcome.statusText,
      httpVersion: outcome.httpVersion,
      requestHeaders: outcome.requestHeaders,
      body: outcome.body,
      contentType: Array.isArray(contentType) ? contentType[0] : contentType,
      landedUrl: outcome.landedUrl,
      redirects: outcome.redirects,
      warnings: [
        ...(retries > 0 ? [`retried ${retries} times`] : []),
        ...(outcome.truncated ? ['truncated body'] : []),
        ...rejected.map(rejectedCookieWarning),
      ],
      exitBytes: outcome.exitBytes,
      latencyMs: exit === undefined && outcome.redirects.length === 0 ? outcome.latencyMs : undefined,
    };
  }

  async #fetchWithRetries(order: PermittedOrder, jar: CookieJar, budget: Budget): Promise<Attempts> {
    const { options } = order;
    const totalMs = Math.min(options.timeoutSeconds * 1000, budget.remainingMs());
    const startedMs = performance.now();
    const remainingMs = () => totalMs - (performance.now() - startedMs);
    for (let retries = 0; ; retries += 1) {
      const outcome = await this.#attempt(order, jar, budget.signal, remainingMs());
      if (!(outcome instanceof FetchFailed)) return { outcome, retries };
      const state = { retries, remainingMs: remainingMs(), random: this.#deps.random() };
      const waitMs = retries < options.retries ? retryWaitMs(outcome, state) : undefined;
      if (waitMs === undefined) return { outcome, retries };
      // The signal ends the wait early; the caller receives its reason.
      await sleep(waitMs, undefined, { signal: budget.signal }).catch(() => {});
      budget.signal.throwIfAborted();
    }
  }

  async #attempt(
    order: PermittedOrder,
    cookies: CookieJar,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<HttpResponse | FetchFailed> {
    try {
      return await this.#client.fetch(order.url, {
        headers: headersOf(order),
        timeoutMs: Math.max(1, timeoutMs),
        maxBodyBytes: MAX_PAGE_BYTES,
        signal,
        cookies,
        admitLarge: order.permit.acquire,
        ...(order.exit === undefined ? {} : { exit: order.exit.proxy }),
      });
    } catch (error) {
      if (error instanceof FetchFailed) return error;
      throw error;
    }
  }
}

/** Returns the request headers in addition to those of the client; later ones override equal names. */
function headersOf({ options, unlessStill }: FetchOrder): Record<string, string> {
  const custom = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...ACCEPT,
    ...(options.device === 'mobile' ? { 'user-agent': MOBILE_USER_AGENT } : {}),
    ...Object.fromEntries(custom),
    ...(options.userAgent === '' ? {} : { 'user-agent': options.userAgent }),
    ...(unlessStill === undefined || unlessStill.etag === '' ? {} : { 'if-none-match': unlessStill.etag }),
    ...(unlessStill === undefined || unlessStill.lastModified === ''
      ? {}
      : { 'if-modified-since': unlessStill.lastModified }),
  };
}

/** Stores the caller's cookies as host-only cookies of the URL. @returns the names of invalid ones */
function addCookies(jar: CookieJar, url: string, cookies: Readonly<Record<string, string>>): string[] {
  const rejected: string[] = [];
  for (const [name, value] of Object.entries(cookies)) {
    if (!isValidCookie(name, value)) rejected.push(name);
    else jar.store(url, [`${name}=${value}; Path=/`]);
  }
  return rejected;
}
