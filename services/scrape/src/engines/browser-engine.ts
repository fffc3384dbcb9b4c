import { BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import type { Peer } from '@tidemark/service';
import type { Budget, Engine, Fetched, FetchOrder, Unanswered } from '../domain/ports.ts';
import { unanswered } from './unanswered.ts';

/** Why a render gave no page, in words. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'the page did not finish in the browser in time',
  dns: 'the host name could not be resolved',
  refused: 'the site could not be reached',
  reset: 'the connection was closed before the answer was complete',
  tls: 'no secure connection could be made',
  too_large: 'the page is larger than the limit',
  egress: 'the address is not on the public web and is not fetched',
  crashed: 'the page crashed the browser twice',
  exit: 'the exit could not be used',
  protocol: 'the answer was no HTTP that can be read',
};

/** The dearer rung: a page rendered in the browser pool. */
export class BrowserEngine implements Engine {
  readonly tier = 'browser' as const;
  readonly #pool: Peer;

  constructor(pool: Peer) {
    this.#pool = pool;
  }

  async fetch({ url, options, workspaceId, exit }: FetchOrder, budget: Budget): Promise<Fetched | Unanswered> {
    const timeoutMs = Math.floor(Math.min(options.timeoutSeconds * 1000, budget.remainingMs()));
    const wantsScreenshot = options.screenshot !== 'none';
    const answer = await this.#pool.call(
      Rpc.render,
      {
        url,
        timeoutMs,
        screenshot: wantsScreenshot,
        fullPage: options.screenshot === 'full',
        blockResources: options.blockResources,
        workspaceId,
        headers: named(options.headers),
        cookies: named(options.cookies),
        userAgent: options.userAgent,
        device: options.device,
        waitFor: options.waitFor,
        actions: options.actions,
        exitUrl: exit?.url ?? '',
        // Pages of one session would be rendered one after another.
        session: '',
      },
      { requestId: '' },
      // The pool keeps the deadline itself; ours is for a pool that has vanished.
      { deadlineMs: timeoutMs + 5_000, signal: budget.signal },
    );
    if (answer.failure !== undefined)
      return unanswered(answer.failure, FAILURES[answer.failure] ?? 'the browser got no page');
    return {
      kind: 'fetched',
      status: answer.httpStatus,
      headers: Object.fromEntries(answer.headers.map(({ name, value }) => [name, value])),
      body: Buffer.from(answer.html),
      contentType: 'text/html; charset=utf-8',
      landedUrl: answer.landedUrl,
      redirects: answer.redirects,
      ...(answer.screenshot.length === 0 ? {} : { screenshot: answer.screenshot }),
      warnings: answer.warnings,
      actions: answer.actions,
      exitBytes: answer.exitBytes,
    };
  }
}

const named = (values: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
