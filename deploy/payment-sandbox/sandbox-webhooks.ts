import type { HttpClient } from '@tidemark/egress';
import type { Logger } from '@tidemark/service';
import { sandboxId } from './sandbox-state.ts';
import { signatureOf } from './signature.ts';

interface Message {
  readonly id: string;
  readonly body: string;
  attempts: number;
}

export interface WebhookTarget {
  /** Where messages are sent; empty: nowhere. */
  readonly url: string;
  readonly secret: string;
}

const MAX_ATTEMPTS = 8;
const RETRY_MS = 1_000;
const TIMEOUT_MS = 5_000;
const MAX_HELD = 1_000;

/** Sends signed messages. A message that is not answered with 2xx is sent again, with the same id. Messages can be held and sent in reverse. */
export class SandboxWebhooks {
  readonly #http: HttpClient;
  readonly #log: Logger;
  readonly #held: Message[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #target: WebhookTarget;
  #isHolding = false;

  constructor(target: WebhookTarget, { http, log }: { readonly http: HttpClient; readonly log: Logger }) {
    this.#target = target;
    this.#http = http;
    this.#log = log;
  }

  set target(target: WebhookTarget) {
    this.#target = target;
  }

  /** Sends a message that states a change. */
  send(event: string, objects: Readonly<Record<string, object>>): void {
    const payload = Object.fromEntries(Object.entries(objects).map(([name, entity]) => [name, { entity }]));
    const body = JSON.stringify({
      entity: 'event',
      account_id: 'acc_sandbox',
      event,
      contains: Object.keys(objects),
      payload,
      created_at: Math.floor(Date.now() / 1_000),
    });
    const message = { id: sandboxId('evt'), body, attempts: 0 };
    if (this.#isHolding && this.#held.length < MAX_HELD) this.#held.push(message);
    else void this.#deliver(message);
  }

  /** Holds messages from now on. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Sends the held messages one after another, the last one first, each `times` times. */
  async releaseReversed(times: number): Promise<void> {
    this.#isHolding = false;
    for (const message of this.#held.splice(0).reverse())
      for (let i = 0; i < times; i += 1) await this.#deliver(message);
  }

  async #deliver(message: Message): Promise<void> {
    const { url, secret } = this.#target;
    if (url === '') return;
    message.attempts += 1;
    const status = await this.#post(url, secret, message);
    if (status >= 200 && status < 300) return;
    this.#log.warn({ event: message.id, status, attempts: message.attempts }, 'sandbox webhook was not accepted');
    if (message.attempts >= MAX_ATTEMPTS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#deliver(message);
    }, RETRY_MS * message.attempts);
    this.#timers.add(timer);
  }

  async #post(url: string, secret: string, { id, body }: Message): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      'x-razorpay-event-id': id,
      'x-razorpay-signature': signatureOf(secret, body),
    };
    const response = await this.#http
      .fetch(url, { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxRedirects: 0 })
      .catch(() => undefined);
    return response?.status ?? 0;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
