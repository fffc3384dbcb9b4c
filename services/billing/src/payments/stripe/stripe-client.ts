import type { HttpClient } from '@tidemark/egress';
import { callGateway, expectForm } from '../port/gateway-http.ts';
import { type FormValue, formEncode } from './form-encode.ts';

/** The last version in which an invoice names its payment and its subscription directly. */
const API_VERSION = '2025-02-24.acacia';

export interface StripeAccount {
  /** Such as https://api.stripe.com/v1 */
  readonly url: string;
  readonly secretKey: string;
}

interface Form<T> {
  parse(value: unknown): T;
}

type Body = { readonly [name: string]: FormValue | undefined };

/**
 * Sends requests to Stripe: form-encoded, with an idempotency key for everything that creates an object. Not the `stripe` SDK (23.1.0, 23 MB): its
 * types describe a version of the API in which an invoice names neither its payment nor its subscription, so that responses would be
 * checked and typed here all the same, and it needs an adapter to the HTTP client of libs/egress.
 */
export class StripeClient {
  readonly #http: HttpClient;
  readonly #account: StripeAccount;

  constructor(http: HttpClient, account: StripeAccount) {
    this.#http = http;
    this.#account = account;
  }

  get<T>(form: Form<T>, path: string): Promise<T> {
    return this.#send(form, 'GET', { path });
  }

  delete<T>(form: Form<T>, path: string): Promise<T> {
    return this.#send(form, 'DELETE', { path });
  }

  /** @param key a request with a key that was used before returns the first response */
  post<T>(form: Form<T>, path: string, { body, key }: { readonly body: Body; readonly key?: string }): Promise<T> {
    return this.#send(form, 'POST', { path, body: formEncode(body), ...(key === undefined ? {} : { key }) });
  }

  async #send<T>(
    form: Form<T>,
    method: 'GET' | 'POST' | 'DELETE',
    { path, body, key }: { readonly path: string; readonly body?: string; readonly key?: string },
  ): Promise<T> {
    const content = await callGateway(this.#http, {
      method,
      url: `${this.#account.url}${path}`,
      headers: {
        authorization: `Bearer ${this.#account.secretKey}`,
        accept: 'application/json',
        'stripe-version': API_VERSION,
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(key === undefined ? {} : { 'idempotency-key': `tidemark:${key}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return expectForm(form, content);
  }
}
