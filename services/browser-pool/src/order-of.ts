import type {
  Action as ActionMessage,
  Header,
  RenderRequest,
  WaitFor as WaitForMessage,
} from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import { cookieOf, ownCookie } from './cookies-of.ts';
import type { Action, Cookie, Device, NameAndValue, Order, WaitFor } from './page/order.ts';

const LIST_MAX = 50;
/** Those of a saved login, and the caller's own. */
const COOKIES_MAX = 250;
const SELECTOR_MAX = 1_000;
const TEXT_MAX = 10_000;
const VALUE_MAX = 8_000;
const WAIT_MAX_MS = 60_000;
const WAIT_USUAL_MS = 1_000;
const USER_AGENT_MAX = 500;
const SESSION_MAX = 200;
/** RFC 9110 5.6.2 token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** RFC 9110 5.5: one line. */
const LINE = /^(?:\P{Cc}|\t)*$/u;
/** Framing and routing belong to the connection, and encodings to the browser that must undo them. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads a request. Undefined for an address that no browser of ours opens: file:, chrome:, data: and the like. @throws AppError validation */
export function orderOf(request: RenderRequest): Order | undefined {
  if (request.workspaceId === '') throw invalid('workspace_id is needed: contexts belong to one');
  const url = URL.parse(request.url);
  if (url === null) throw invalid('url is not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // Credentials would be kept by the browser and sent on later.
  url.username = '';
  url.password = '';
  const headers = pairsOf('headers', request.headers).map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  return {
    url,
    workspaceId: request.workspaceId,
    screenshot: request.screenshot ? (request.fullPage ? 'full_page' : 'viewport') : 'none',
    blocksResources: request.blockResources,
    // These two have ways of their own, by which scripts see the same as the server.
    headers: headers.filter(({ name }) => name !== 'cookie' && name !== 'user-agent' && !RESERVED.has(name)),
    cookies: [
      ...cookiesOf(headers, url),
      ...atMost('cookies', request.cookies, COOKIES_MAX).map((one) => cookieOf(one, url)),
    ],
    userAgent: line('user_agent', request.userAgent, USER_AGENT_MAX) || userAgentOf(headers),
    device: deviceOf(request.device),
    ...(request.waitFor === undefined ? {} : { waitFor: waitForOf(request.waitFor) }),
    actions: atMost('actions', request.actions).map(actionOf),
    session: line('session', request.session, SESSION_MAX),
  };
}

function pairsOf(field: string, pairs: readonly Header[]): NameAndValue[] {
  return atMost(field, pairs).map(({ name, value }) => {
    if (!NAME.test(name)) throw invalid(`${field} holds a name that is none`);
    return { name, value: line(`${field}.${name}`, value, VALUE_MAX) };
  });
}

function cookiesOf(headers: readonly NameAndValue[], url: URL): Cookie[] {
  const pairs = headers.filter(({ name }) => name === 'cookie').flatMap(({ value }) => value.split(';'));
  return pairs.slice(0, LIST_MAX).flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [ownCookie({ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }, url)];
  });
}

const userAgentOf = (headers: readonly NameAndValue[]): string =>
  headers.find(({ name }) => name === 'user-agent')?.value.slice(0, USER_AGENT_MAX) ?? '';

function deviceOf(device: string): Device {
  if (device === '' || device === 'desktop') return 'desktop';
  if (device === 'mobile') return 'mobile';
  throw invalid('device is desktop or mobile');
}

function waitForOf({ selector, ms, networkIdle }: WaitForMessage): WaitFor {
  if (selector !== '') return { kind: 'selector', selector: line('wait_for.selector', selector, SELECTOR_MAX) };
  return networkIdle ? { kind: 'network_idle' } : { kind: 'ms', ms: between(ms, 0, WAIT_MAX_MS) };
}

function actionOf({ kind, selector: given, text, ms }: ActionMessage, index: number): Action {
  const field = `actions[${index}]`;
  if (given.length > SELECTOR_MAX || text.length > TEXT_MAX) throw invalid(`${field} is too long`);
  const selector = given.trim();
  if (selector === '' && (kind === 'click' || kind === 'type')) throw invalid(`${field}: ${kind} needs a selector`);
  switch (kind) {
    case 'click':
      return { kind, selector };
    case 'type':
      return { kind, selector, text };
    case 'press':
      return { kind, selector, key: text };
    case 'scroll':
      return { kind, selector, to: directionOf(field, text) };
    case 'wait':
      return { kind, selector, ms: ms === 0 ? WAIT_USUAL_MS : between(ms, 1, WAIT_MAX_MS) };
    default:
      throw invalid(`${field}: kind is click, type, press, scroll or wait`);
  }
}

function directionOf(field: string, text: string): 'down' | 'up' | 'top' | 'bottom' {
  if (text === '') return 'down';
  if (text === 'down' || text === 'up' || text === 'top' || text === 'bottom') return text;
  throw invalid(`${field}: scroll goes down, up, top or bottom`);
}

function atMost<T>(field: string, list: readonly T[], most = LIST_MAX): readonly T[] {
  if (list.length > most) throw invalid(`${field} has more than ${most} entries`);
  return list;
}

function line(field: string, text: string, mostCharacters: number): string {
  if (text.length > mostCharacters || !LINE.test(text))
    throw invalid(`${field} is no line of at most ${mostCharacters} characters`);
  return text;
}

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

const invalid = (message: string): AppError => new AppError('validation', message);
