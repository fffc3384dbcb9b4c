import { BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import type { Peer } from '@tidemark/service';
import type { Budget, Engine, Fetched, FetchOrder, NoResponse } from '../domain/ports.ts';
import { messageOfFailure } from './failure-messages.ts';
import { rejectedCookieWarning } from './login-cookies.ts';
import { noResponse } from './no-response.ts';
import { cookiesOf, toPairs } from './request-pairs.ts';

/** Renders pages in browser-pool. */
export class BrowserEngine implements Engine {
  readonly tier = 'browser' as const;
  readonly #pool: Peer;

  constructor(pool: Peer) {
    this.#pool = pool;
  }

  async fetch(order: FetchOrder, budget: Budget): Promise<Fetched | NoResponse> {
    const remainingMs = Math.min(order.options.timeoutSeconds * 1000, budget.remainingMs());
    return this.#render(order, budget.signal, remainingMs);
  }

  async #render(order: FetchOrder, signal: AbortSignal, remainingMs: number): Promise<Fetched | NoResponse> {
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
    if (response.failure !== undefined) return noResponse(response.failure, messageOfFailure(response.failure));
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
