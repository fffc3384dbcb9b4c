import type { HttpClient } from '@tidemark/egress';
import { callGateway, expectForm } from '../port/gateway-http.ts';

export interface RazorpayAccount {
  /** Such as https://api.razorpay.com/v1 */
  readonly url: string;
  readonly keyId: string;
  readonly keySecret: string;
}

interface Form<T> {
  parse(value: unknown): T;
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const PAGE = 100;
/** Pages of a list that are read to find an object that was created before its response was lost. */
const MAX_PAGES = 5;

/** Sends requests to Razorpay, in JSON. */
export class RazorpayClient {
  readonly #http: HttpClient;
  readonly #account: RazorpayAccount;

  constructor(http: HttpClient, account: RazorpayAccount) {
    this.#http = http;
    this.#account = account;
  }

  get<T>(form: Form<T>, path: string): Promise<T> {
    return this.send(form, { method: 'GET', path });
  }

  post<T>(form: Form<T>, path: string, body: object): Promise<T> {
    return this.send(form, { method: 'POST', path, body });
  }

  async send<T>(form: Form<T>, { method, path, body, headers }: Sent): Promise<T> {
    const { url, keyId, keySecret } = this.#account;
    const credentials = Buffer.from(`${keyId}:${keySecret}`).toString('base64');
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const content = await callGateway(this.#http, {
      method,
      url: `${url}${path}`,
      headers: { authorization: `Basic ${credentials}`, accept: 'application/json', ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return expectForm(form, content);
  }

  /** Reads a list, newest first, until an item matches; at most `MAX_PAGES` pages. */
  async search<T>(
    form: Form<{ readonly items: readonly T[] }>,
    path: string,
    matches: (item: T) => boolean,
  ): Promise<{ found: T | undefined; isComplete: boolean }> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { items } = await this.get(form, `${path}count=${PAGE}&skip=${page * PAGE}`);
      const found = items.find(matches);
      if (found !== undefined || items.length < PAGE) return { found, isComplete: true };
    }
    return { found: undefined, isComplete: false };
  }
}
