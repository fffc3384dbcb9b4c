import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpClient } from '@tidemark/egress';
import type { Logger } from '@tidemark/service';
import { z } from 'zod';
import { CHECKOUT_POLICY, renderCheckout, renderResult } from './checkout-page.ts';
import { respondAsApi } from './sandbox-api.ts';
import { completeCheckout, describeCheckout, renew } from './sandbox-checkout.ts';
import { SandboxRefusal, SandboxState } from './sandbox-state.ts';
import { SandboxWebhooks } from './sandbox-webhooks.ts';

export interface SandboxSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly keyId: string;
  readonly keySecret: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
}

export interface Sandbox {
  readonly url: string;
  readonly webhooks: SandboxWebhooks;
  readonly state: SandboxState;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 256 * 1024;
const Renewal = z.object({ subscription_id: z.string(), outcome: z.enum(['paid', 'failed', 'halted']) });
const Clock = z.object({
  offset_seconds: z
    .int()
    .min(-400 * 86_400)
    .max(0),
});
const Webhooks = z.object({ action: z.enum(['hold', 'release_reversed']), times: z.int().min(1).max(5).default(1) });

/** Starts a payment gateway that answers as Razorpay does, with a checkout page. It moves no money and keeps everything in memory. */
export async function startSandbox(
  settings: SandboxSettings,
  { http, log }: { readonly http: HttpClient; readonly log: Logger },
): Promise<Sandbox> {
  const state = new SandboxState();
  const webhooks = new SandboxWebhooks({ url: settings.webhookUrl, secret: settings.webhookSecret }, { http, log });
  const server = createServer((request, response) => {
    respond({ settings, state, webhooks }, request, response).catch((error: unknown) => {
      const isRefused = error instanceof SandboxRefusal || error instanceof z.ZodError;
      const status = error instanceof SandboxRefusal ? error.status : isRefused ? 400 : 500;
      const description = error instanceof Error ? error.message : 'failed';
      if (!isRefused) log.error({ err: error }, 'sandbox request failed');
      sendJson(response, status, { error: { code: 'BAD_REQUEST_ERROR', description } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(settings.port, settings.host, resolve);
  });
  const bound = server.address();
  const port = bound === null || typeof bound === 'string' ? settings.port : bound.port;
  return {
    url: `http://${settings.host}:${port}`,
    webhooks,
    state,
    async close() {
      webhooks.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Parts {
  readonly settings: SandboxSettings;
  readonly state: SandboxState;
  readonly webhooks: SandboxWebhooks;
}

async function respond(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const body = await readBody(request);
  const now = nowOf(parts.state);
  const onChange = (event: string, objects: Readonly<Record<string, object>>) => parts.webhooks.send(event, objects);
  const { state, settings } = parts;
  if (url.pathname === '/checkout') {
    const form = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    if (request.method !== 'POST') return sendHtml(response, renderCheckout(describeCheckout(state, form)));
    const result = completeCheckout(state, form, { keySecret: settings.keySecret, now, onChange });
    return sendResult(response, form.get('return_url') ?? '', result ?? { error: 'the payment failed' });
  }
  if (url.pathname.startsWith('/sandbox/')) return sendJson(response, 200, await control(parts, url.pathname, body));
  if (!isAuthorized(request, settings)) throw new SandboxRefusal(401, 'The api key provided is invalid');
  const path = url.pathname.replace(/^\/v1\//, '').split('/');
  const api = { method: request.method ?? 'GET', path, query: url.searchParams, body: parseJson(body), now };
  sendJson(response, 200, respondAsApi(state, api, onChange));
}

/** The time of the sandbox, seconds. */
const nowOf = ({ clockOffset }: SandboxState): number => Math.floor(Date.now() / 1_000) + clockOffset;

/** Operations of the sandbox itself: renew a subscription now, or let that fail; move its clock; hold the webhooks. */
async function control({ state, webhooks }: Parts, path: string, body: string): Promise<object> {
  const now = nowOf(state);
  if (path === '/sandbox/renew') {
    const { subscription_id: subscriptionId, outcome } = Renewal.parse(parseJson(body));
    return renew(state, { subscriptionId, outcome, now }, (event, objects) => webhooks.send(event, objects));
  }
  if (path === '/sandbox/clock') {
    state.clockOffset = Clock.parse(parseJson(body)).offset_seconds;
    return { offset_seconds: state.clockOffset };
  }
  if (path !== '/sandbox/webhooks') throw new SandboxRefusal(404, 'The requested URL was not found on the server.');
  const { action, times } = Webhooks.parse(parseJson(body));
  if (action === 'hold') webhooks.hold();
  else await webhooks.releaseReversed(times);
  return { action };
}

function isAuthorized(request: IncomingMessage, { keyId, keySecret }: SandboxSettings): boolean {
  const expected = Buffer.from(`Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`);
  const given = Buffer.from(request.headers.authorization ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new SandboxRefusal(413, 'The request body is too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw new SandboxRefusal(400, 'The request body is not JSON');
  }
}

function sendJson(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function sendHtml(response: ServerResponse, html: string): void {
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CHECKOUT_POLICY })
    .end(html);
}

/** Shows a result, or returns it to the page that opened checkout, in the fragment of its URL. */
function sendResult(response: ServerResponse, returnUrl: string, result: Readonly<Record<string, string>>): void {
  if (!/^https?:\/\//.test(returnUrl)) sendHtml(response, renderResult(result));
  else response.writeHead(303, { location: `${returnUrl}#${new URLSearchParams(result)}` }).end();
}
