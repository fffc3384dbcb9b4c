import { textOrEmpty } from '@tidemark/contracts';
import type {
  Action as ActionMessage,
  Header,
  RenderRequest,
  WaitFor as WaitForMessage,
} from '@tidemark/contracts/browser/v1/browser';
import { RESERVED_HEADERS } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { Action, Cookie, NameAndValue, RenderTask, WaitFor } from '../page/render-task.ts';
import { hostCookie, parseCookie } from './parse-cookie.ts';

const MAX_LIST = 50;
/** Cookies of a saved login and those of the caller together. */
const MAX_COOKIES = 250;
const MAX_SELECTOR = 1_000;
const MAX_TEXT = 10_000;
const MAX_VALUE = 8_000;
const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 1_000;
const NEEDS_SELECTOR: ReadonlySet<ActionMessage['kind']> = new Set(['click', 'type', 'select']);
const MAX_USER_AGENT = 500;
const MAX_SESSION = 200;
/** RFC 9110 section 5.6.2, token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** RFC 9110 section 5.5: a single line. */
const LINE = /^(?:\P{Cc}|\t)*$/u;
/** Headers set by the browser: framing, routing, and the encodings that it can decode. */
const RESERVED: ReadonlySet<string> = new Set([...RESERVED_HEADERS, 'accept-encoding']);

/** Parses a request. Undefined for a URL that is not http or https. @throws AppError validation */
export function parseRenderRequest(request: RenderRequest): RenderTask | undefined {
  if (request.workspaceId === '') throw invalid('workspace_id is required');
  const url = URL.parse(request.url);
  if (url === null) throw invalid('url is not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // The browser would cache credentials and send them with later requests.
  url.username = '';
  url.password = '';
  const headers = parsePairs('headers', request.headers).map(({ name, value }) => ({
    name: name.toLowerCase(),
    value,
  }));
  return {
    url,
    workspaceId: request.workspaceId,
    screenshot: request.screenshot ? (request.fullPage ? 'full_page' : 'viewport') : 'none',
    blocksResources: request.blockResources,
    // Set by other means, so that scripts read the same values as the server.
    headers: headers.filter(({ name }) => name !== 'cookie' && name !== 'user-agent' && !RESERVED.has(name)),
    cookies: [
      ...cookiesFromHeaders(headers, url),
      ...requireAtMost('cookies', request.cookies, MAX_COOKIES).map((cookie) => parseCookie(cookie, url)),
    ],
    userAgent:
      requireLine('user_agent', textOrEmpty(request.userAgent), MAX_USER_AGENT) || userAgentFromHeaders(headers),
    device: request.device,
    ...(request.waitFor === undefined ? {} : { waitFor: parseWaitFor(request.waitFor) }),
    actions: requireAtMost('actions', request.actions).map(parseAction),
    session: requireLine('session', textOrEmpty(request.session), MAX_SESSION),
  };
}

function parsePairs(field: string, pairs: readonly Header[]): NameAndValue[] {
  return requireAtMost(field, pairs).map(({ name, value }) => {
    if (!NAME.test(name)) throw invalid(`${field} contains an invalid name`);
    return { name, value: requireLine(`${field}.${name}`, value, MAX_VALUE) };
  });
}

function cookiesFromHeaders(headers: readonly NameAndValue[], url: URL): Cookie[] {
  const pairs = headers.filter(({ name }) => name === 'cookie').flatMap(({ value }) => value.split(';'));
  return pairs.slice(0, MAX_LIST).flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [hostCookie({ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }, url)];
  });
}

const userAgentFromHeaders = (headers: readonly NameAndValue[]): string =>
  headers.find(({ name }) => name === 'user-agent')?.value.slice(0, MAX_USER_AGENT) ?? '';

function parseWaitFor({ selector, ms, networkIdle }: WaitForMessage): WaitFor {
  if (selector !== '') return { kind: 'selector', selector: requireLine('wait_for.selector', selector, MAX_SELECTOR) };
  return networkIdle ? { kind: 'network_idle' } : { kind: 'ms', ms: clamp(ms, 0, MAX_WAIT_MS) };
}

/** Parses the actions of a page. @throws AppError validation */
export const parseActions = (actions: readonly ActionMessage[]): Action[] =>
  requireAtMost('actions', actions).map(parseAction);

function parseAction({ kind, selector: given, text, ms }: ActionMessage, index: number): Action {
  const field = `actions[${index}]`;
  if (given.length > MAX_SELECTOR || text.length > MAX_TEXT) throw invalid(`${field} is too long`);
  const selector = given.trim();
  if (selector === '' && NEEDS_SELECTOR.has(kind)) throw invalid(`${field}: ${kind} requires a selector`);
  switch (kind) {
    case 'click':
      return { kind, selector };
    case 'type':
      return { kind, selector, text };
    case 'press':
      return { kind, selector, key: text };
    case 'scroll':
      return { kind, selector, to: parseDirection(field, text) };
    case 'wait':
      return { kind, selector, ms: ms === 0 ? DEFAULT_WAIT_MS : clamp(ms, 1, MAX_WAIT_MS) };
    case 'select':
      return { kind, selector, value: text };
  }
}

function parseDirection(field: string, text: string): 'down' | 'up' | 'top' | 'bottom' {
  if (text === '') return 'down';
  if (text === 'down' || text === 'up' || text === 'top' || text === 'bottom') return text;
  throw invalid(`${field}: scroll direction must be down, up, top or bottom`);
}

function requireAtMost<T>(field: string, list: readonly T[], max = MAX_LIST): readonly T[] {
  if (list.length > max) throw invalid(`${field} has more than ${max} entries`);
  return list;
}

function requireLine(field: string, text: string, maxCharacters: number): string {
  if (text.length > maxCharacters || !LINE.test(text))
    throw invalid(`${field} must be a single line of at most ${maxCharacters} characters`);
  return text;
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

const invalid = (message: string): AppError => new AppError('validation', message);
