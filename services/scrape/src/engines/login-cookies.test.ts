import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { LoginSession } from '../domain/login.ts';
import { HttpEngine } from './http-engine.ts';
import { liveCookies, toCookieValue } from './login-cookies.ts';
import { SessionCookies } from './session-cookies.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const cookie = (more: Partial<SessionCookie>): SessionCookie =>
  SessionCookie.fromPartial({ name: 'sid', value: '1', domain: 'site.example', path: '/', ...more });
const login = (edition: string, ...cookies: SessionCookie[]): LoginSession => ({ edition, cookies });
const owner = (more: object = {}) => ({ workspaceId: 'w', session: 's', exit: '', loginId: 'login_1', ...more });

/** Returns the Cookie header for a URL. */
const sentTo = (url: string, cookies: SessionCookie[]): string =>
  new SessionCookies().jarOf({ ...owner(), login: login('a', ...cookies) }).header(url) ?? '';

describe('the cookies of a saved login', () => {
  it.each([
    ['sent to their host', 'https://site.example/', {}, true],
    ['not sent to a subdomain if host-only', 'https://www.site.example/', {}, false],
    ['sent to subdomains if not host-only', 'https://a.www.site.example/', { isForSubdomains: true }, true],
    ['not sent to a site with the same suffix', 'https://notsite.example/', { isForSubdomains: true }, false],
    ['not sent to a parent domain', 'https://example/', { isForSubdomains: true }, false],
    [
      'not sent to every host of a top-level domain',
      'https://site.example/',
      { domain: 'example', isForSubdomains: true },
      false,
    ],
    ['sent to paths below their path', 'https://site.example/member/1', { path: '/member' }, true],
    ['not sent to a path with the same prefix', 'https://site.example/members', { path: '/member' }, false],
    ['not sent over http if secure', 'http://site.example/', { secure: true }, false],
    ['sent over https if secure', 'https://site.example/', { secure: true }, true],
    ['sent to the ASCII form of their host', 'https://xn--bcher-kva.example/', { domain: '.Bücher.example' }, true],
  ])('are %s', (_, url, more, isSent) => {
    expect(sentTo(url, [cookie(more)])).toBe(isSent ? 'sid=1' : '');
  });

  it('are not sent if they are expired or invalid', () => {
    const ended = cookie({ name: 'old', expires: NOW.getTime() / 1000 });
    const later = cookie({ name: 'new', expires: NOW.getTime() / 1000 + 60 });
    const unfit = [
      { name: '' },
      { name: 'a b' },
      { value: 'x; Domain=other.example' },
      { value: 'a\r\nb' },
      { path: '/;' },
    ];
    const huge = cookie({ value: 'x'.repeat(5_000) });
    expect(liveCookies([ended, later, huge, ...unfit.map(cookie)], NOW).map(({ name }) => name)).toEqual(['new']);
  });

  it('are limited in number', () => {
    expect(
      liveCookies(
        Array.from({ length: 500 }, (_, i) => cookie({ name: `c${i}` })),
        NOW,
      ),
    ).toHaveLength(200);
  });

  it('are added to the jar once per edition, and do not replace later cookies of the site', () => {
    const sessions = new SessionCookies();
    const signedIn = { ...owner(), login: login('a', cookie({})) };
    sessions.jarOf(signedIn).store('https://site.example/', ['sid=2; Path=/']);
    expect(sessions.jarOf(signedIn).header('https://site.example/')).toBe('sid=2');
    const replaced = { ...owner(), login: login('b', cookie({ value: '9' })) };
    expect(sessions.jarOf(replaced).header('https://site.example/')).toBe('sid=9');
  });

  it('are in no jar of another session, login or workspace', () => {
    const sessions = new SessionCookies();
    sessions.jarOf({ ...owner(), login: login('a', cookie({})) });
    for (const more of [
      { session: 't' },
      { loginId: 'login_2' },
      { workspaceId: 'v' },
      { loginId: '' },
      { session: '' },
    ])
      expect(sessions.jarOf({ ...owner(more), login: undefined }).header('https://site.example/')).toBeUndefined();
  });

  it('are passed to browser-pool with all attributes', () => {
    expect(toCookieValue(cookie({ value: 'v=1', path: '/m', secure: true, httpOnly: true, sameSite: 'none' }))).toBe(
      'v=1; Host=site.example; Path=/m; Secure; HttpOnly; SameSite=none',
    );
    expect(toCookieValue(cookie({ isForSubdomains: true, sameSite: 'x; y' }))).toBe('1; Domain=site.example; Path=/');
  });
});

describe('HttpEngine.fetch with a saved login', () => {
  const seen: (string | undefined)[] = [];
  const servers = ['127.0.0.2', '127.0.0.3'].map((host) => ({ host, server: createServer() }));
  let origins: string[] = [];
  let client: HttpClient;
  beforeAll(async () => {
    origins = await Promise.all(
      servers.map(async ({ host, server }) => {
        await new Promise<void>((resolve) => server.listen(0, host, () => resolve()));
        const bound = server.address();
        return `http://${host}:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
      }),
    );
    for (const { server } of servers)
      server.on('request', (request, response) => {
        seen.push(request.headers.cookie);
        if (request.url === '/away') response.writeHead(302, { location: `${origins[1]}/back` }).end();
        else if (request.url === '/back') response.writeHead(302, { location: `${origins[0]}/end` }).end();
        else response.end('there');
      });
    client = createHttpClient(createGuard({ allow: parseAllowList('127.0.0.2,127.0.0.3') }));
  });
  afterAll(async () => {
    await client.close();
    for (const { server } of servers) server.close();
  });

  it('sends the cookies over redirects to their hosts only, together with those of the request', async () => {
    const budget = { remainingMs: () => 5_000, signal: new AbortController().signal };
    await new HttpEngine(client).fetch(
      {
        url: `${origins[0]}/away`,
        options: toCaptureOptions(captureOptions({ cookies: { lang: 'de' }, loginId: 'login_1', retries: 0 })),
        workspaceId: 'w',
        exit: undefined,
        session: '',
        unlessStill: undefined,
        login: login('a', cookie({ domain: '127.0.0.2' })),
      },
      budget,
    );
    expect(seen).toEqual(['sid=1; lang=de', undefined, 'sid=1; lang=de']);
  });
});
