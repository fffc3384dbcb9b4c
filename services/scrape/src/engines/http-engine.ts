import { FetchFailed, type HttpClient } from '@tidemark/egress';
import type { Budget, Engine, Fetched, FetchOrder, Unanswered } from '../domain/ports.ts';
import { JobCookies } from './cookie-jar.ts';
import { unanswered } from './unanswered.ts';

/** Bytes of a page after its content encoding is undone. */
export const MAX_PAGE_BYTES = 20 * 1024 * 1024;

const ACCEPT = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en;q=0.9,*;q=0.5',
};

/** The cheapest rung: one guarded request, redirects followed. */
export class HttpEngine implements Engine {
  readonly tier = 'http' as const;
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  async fetch({ url, options }: FetchOrder, budget: Budget): Promise<Fetched | Unanswered> {
    try {
      const answer = await this.#client.fetch(url, {
        headers: ACCEPT,
        timeoutMs: Math.min(options.timeoutSeconds * 1000, budget.remainingMs()),
        maxBodyBytes: MAX_PAGE_BYTES,
        signal: budget.signal,
        cookies: new JobCookies(),
      });
      const contentType = answer.headers['content-type'];
      return {
        kind: 'fetched',
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        contentType: Array.isArray(contentType) ? contentType[0] : contentType,
        landedUrl: answer.landedUrl,
        redirects: answer.redirects,
      };
    } catch (error) {
      if (error instanceof FetchFailed) return unanswered(error.kind, error.message);
      throw error;
    }
  }
}
