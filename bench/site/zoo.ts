import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { hashOf, randomOf } from '../shared/random.ts';
import { frame } from './page-frame.ts';
import type { SitePlan } from './plan.ts';
import { paragraphOf } from './words.ts';

/** Values that the row of a capture has; absent ones are not compared. */
export interface Expected {
  readonly verdict?: string;
  readonly errorCode?: string;
  readonly warnings?: readonly string[];
  readonly signals?: readonly string[];
  readonly widget?: boolean;
}

/** One capture of a hostile or odd page, and what a correct reader makes of it. */
export interface Exhibit {
  readonly path: string;
  /** Highest tier allowed. */
  readonly tier: 'http' | 'browser';
  readonly expected: Expected;
  /** What matters where no value is expected. */
  readonly note: string;
}

type Respond = (response: ServerResponse, request: IncomingMessage, plan: SitePlan) => void;

interface Shown {
  readonly respond: Respond;
  readonly expected: Expected;
  readonly note?: string;
  /** Expected of a capture without a browser, where that differs. */
  readonly withoutBrowser?: Expected;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const MIB = 1_048_576;
const HUGE_BYTES = 64 * MIB;
const BOMB_BYTES = 200 * MIB;
const CHUNK = '<p>The same paragraph again and again.</p>'.repeat(1_600);
const DRIP_EVERY_MS = 500;
const DRIPS = 600;
const LATE_MS = 800;

const proseOf = (plan: SitePlan, name: string, paragraphs = 8): string => {
  const next = randomOf(hashOf(plan.options.seed, 'zoo', name));
  return Array.from({ length: paragraphs }, () => `<p>${paragraphOf(next)}</p>`).join('\n');
};

/** Sends a page in the frame of the site. */
const framed =
  (
    status: number,
    title: string,
    mainOf: (plan: SitePlan) => string,
    headers: Readonly<Record<string, string>> = {},
  ): Respond =>
  (response, _, plan) =>
    void response
      .writeHead(status, { ...HTML, ...headers })
      .end(frame({ plan, path: '/zoo', title, main: `<main><h1>${title}</h1>${mainOf(plan)}</main>` }));

const plain =
  (status: number, body: string, headers: Readonly<Record<string, string>> = HTML): Respond =>
  (response) =>
    void response.writeHead(status, { ...headers }).end(body);

const moved = (location: string): Respond => plain(302, '', { location });

const CAPTCHA = '<div class="g-recaptcha" data-sitekey="test-key"></div>';
const LOGIN_FORM =
  '<form method="post"><input type="email" name="email"><input type="password" name="password"><button>Sign in</button></form>';
const CHALLENGE =
  '<!doctype html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing the site</h1><div id="challenge-form"></div><script>window._chl_opt = {};</script></body></html>';

function sendHuge(response: ServerResponse): void {
  response.writeHead(200, HTML);
  let sent = 0;
  const more = (): void => {
    while (sent < HUGE_BYTES && !response.destroyed) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

/** Compresses 200 MiB of zeros while they are sent: some 200 KB. */
function sendBomb(response: ServerResponse): void {
  response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
  gzip.pipe(response);
  const zeros = Buffer.alloc(MIB);
  let sent = 0;
  const more = (): void => {
    while (sent < BOMB_BYTES && !response.destroyed) {
      sent += MIB;
      if (!gzip.write(zeros)) return void gzip.once('drain', more);
    }
    gzip.end();
  };
  more();
}

function sendDrops(response: ServerResponse): void {
  response.writeHead(200, HTML);
  let drops = 0;
  const timer = setInterval(() => {
    drops += 1;
    if (drops <= DRIPS && !response.destroyed) return void response.write('<p>.</p>');
    clearInterval(timer);
    response.end();
  }, DRIP_EVERY_MS);
  timer.unref();
}

const SCRIPTED = (
  data: string,
): string => `<!doctype html><html><head><meta charset="utf-8"><title>Gauges</title></head><body><div id="root"></div><script>
fetch('${data}').then(function (response) { return response.json(); }).then(function (page) {
  document.title = page.title;
  document.getElementById('root').innerHTML = '<main><h1>' + page.title + '</h1>' + page.html + '</main>';
});</script></body></html>`;

const LATE = `<div id="late"></div><script>setTimeout(function () { document.getElementById('late').innerHTML = '<p>' + 'These words come late. '.repeat(120) + '</p>'; }, ${LATE_MS});</script>`;

const GOOD: Expected = { verdict: 'ok', errorCode: 'OK' };
const failed = (errorCode: string): Expected => ({ verdict: 'blocked', errorCode });

const SHOWN: Readonly<Record<string, Shown>> = {
  '/zoo/ok': { expected: GOOD, respond: framed(200, 'A page of words', (plan) => proseOf(plan, 'ok')) },
  '/zoo/thin': {
    expected: { verdict: 'thin', errorCode: 'OK', warnings: ['short'] },
    respond: framed(200, 'Contact', () => '<p>The office is open on weekdays from nine to five.</p>'),
  },
  '/zoo/404': {
    expected: failed('NOT_FOUND'),
    respond: framed(404, 'Not found', () => '<p>There is no such page.</p>'),
  },
  '/zoo/soft-404': {
    expected: { ...failed('NOT_FOUND'), signals: ['soft 404'] },
    respond: framed(
      200,
      'Page not found',
      () => '<p>Sorry, the page you are looking for does not exist or has moved.</p>',
    ),
  },
  '/zoo/403': {
    expected: failed('BLOCKED'),
    respond: plain(403, '<html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1></body></html>'),
  },
  '/zoo/challenge': {
    expected: failed('CAPTCHA'),
    respond: plain(403, CHALLENGE, { ...HTML, 'cf-mitigated': 'challenge' }),
  },
  '/zoo/captcha': {
    expected: { ...failed('CAPTCHA'), widget: true },
    respond: plain(
      200,
      `<!doctype html><html><head><title>Verify you are human</title></head><body><form>${CAPTCHA}<button>Continue</button></form></body></html>`,
    ),
  },
  '/zoo/captcha-in-form': {
    expected: { ...GOOD, widget: true },
    respond: framed(200, 'Write to the office', (plan) => `${proseOf(plan, 'form')}<form>${CAPTCHA}</form>`),
  },
  '/zoo/login': { expected: failed('LOGIN_REQUIRED'), respond: moved('/zoo/login-form') },
  '/zoo/login-form': { expected: failed('LOGIN_REQUIRED'), respond: framed(200, 'Sign in', () => LOGIN_FORM) },
  '/zoo/401': {
    expected: failed('LOGIN_REQUIRED'),
    respond: plain(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="gauges"' }),
  },
  '/zoo/451': {
    expected: failed('GEO_RESTRICTED'),
    respond: framed(451, 'Unavailable', () => '<p>This content is not available in your country.</p>'),
  },
  '/zoo/429': { expected: failed('RATE_LIMITED'), respond: plain(429, 'Too many requests', { 'retry-after': '2' }) },
  '/zoo/500': { expected: failed('NETWORK'), respond: plain(500, 'Internal server error') },
  '/zoo/503': { expected: failed('RATE_LIMITED'), respond: plain(503, 'Service unavailable', { 'retry-after': '2' }) },
  '/zoo/scripted': {
    expected: GOOD,
    withoutBrowser: { errorCode: 'SHELL' },
    respond: plain(200, SCRIPTED('/zoo/data.json')),
  },
  '/zoo/server-app': {
    expected: GOOD,
    note: 'rendered on the server, with the root of an application: no browser is needed',
    respond: framed(
      200,
      'Rendered on the server',
      (plan) => `<div id="__next">${proseOf(plan, 'server app')}</div><script src="/assets/app.js" defer></script>`,
    ),
  },
  '/zoo/late': {
    expected: {},
    note: `a script adds words ${LATE_MS} ms after the load`,
    respond: framed(200, 'Late words', () => LATE),
  },
  '/zoo/reset': { expected: { errorCode: 'NETWORK' }, respond: (response) => void response.socket?.destroy() },
  '/zoo/hang': { expected: { errorCode: 'TIMEOUT' }, respond: () => undefined },
  '/zoo/drip': { expected: { errorCode: 'TIMEOUT' }, respond: sendDrops },
  '/zoo/truncated': {
    expected: { errorCode: 'NETWORK' },
    respond: (response) => {
      response.writeHead(200, { ...HTML, 'content-length': String(MIB) });
      response.write(CHUNK, () => response.socket?.destroy());
    },
  },
  '/zoo/huge': { expected: {}, note: '64 MiB of HTML: cut at a limit', respond: sendHuge },
  '/zoo/bomb': { expected: {}, note: '200 MiB in 200 KB of gzip: cut at a limit', respond: sendBomb },
  '/zoo/bad-gzip': {
    expected: { errorCode: 'NETWORK' },
    respond: plain(200, 'not compressed', { ...HTML, 'content-encoding': 'gzip' }),
  },
  '/zoo/cut-gzip': {
    expected: {},
    note: 'a gzip stream without its end',
    respond: (response) =>
      void response
        .writeHead(200, { ...HTML, 'content-encoding': 'gzip' })
        .end(gzipSync(`<html><body>${CHUNK}`).subarray(0, 300)),
  },
  '/zoo/link-local': {
    expected: {},
    note: 'redirects to a link-local address: refused',
    respond: moved('http://169.254.169.254/latest/meta-data/'),
  },
  '/zoo/noindex': {
    expected: { verdict: 'ok' },
    respond: framed(200, 'Not for indexes', (plan) => proseOf(plan, 'noindex'), {
      'x-robots-tag': 'noindex, nofollow',
    }),
  },
  '/zoo/refresh': {
    expected: {},
    note: 'a meta refresh to a good page',
    respond: plain(200, '<html><head><meta http-equiv="refresh" content="0; url=/zoo/ok"></head><body></body></html>'),
  },
  '/zoo/loop': { expected: {}, note: 'a redirect to itself', respond: moved('/zoo/loop') },
};

/** Returns the captures to make; a page that differs by tier is two. */
export const exhibits = (): Exhibit[] =>
  Object.entries(SHOWN).flatMap(([path, { expected, note = '', withoutBrowser }]): Exhibit[] => {
    const captured: Exhibit = { path, tier: 'browser', expected, note };
    return withoutBrowser === undefined
      ? [captured]
      : [{ path, tier: 'http', expected: withoutBrowser, note }, captured];
  });

/** Answers a request for an exhibit. @returns false for other paths */
export function sendExhibit(path: string, request: IncomingMessage, response: ServerResponse, plan: SitePlan): boolean {
  if (path === '/zoo/data.json') {
    const body = JSON.stringify({ title: 'Written by a script', html: proseOf(plan, 'scripted') });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    return true;
  }
  const shown = Object.hasOwn(SHOWN, path) ? SHOWN[path] : undefined;
  shown?.respond(response, request, plan);
  return shown !== undefined;
}
