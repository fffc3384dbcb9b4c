import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { LoginSession } from '../domain/login.ts';
import { HttpEngine } from './http-engine.ts';
import { liveCookies, withAttributes } from './login-cookies.ts';
import { SessionCookies } from './session-cookies.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const cookie = (more: Partial<SessionCookie>): SessionCookie =>
  SessionCookie.fromPartial({ name: 'sid', value: '1', domain: 'site.example', path: '/', ...more });
const login = (edition: string, ...cookies: SessionCookie[]): LoginSession => ({ edition, cookies });
const owner = (more: object = {}) => ({ workspaceId: 'w', session: 's', exit: '', loginId: 'login_1', ...more });

/** The names of the cookies that go to an address. */
const sentTo = (url: string, cookies: SessionCookie[]): string =>
  new SessionCookies().jarOf({ ...owner(), login: login('a', ...cookies) }).header(url) ?? '';

describe('the cookies of a saved login', () => {
  it.each([
    ['its own host', 'https://site.example/', {}, true],
    ['no subdomain of a host that is named alone', 'https://www.site.example/', {}, false],
    ['subdomains where the cookie says so', 'https://a.www.site.example/', { isForSubdomains: true }, true],
    ['no other site that ends alike', 'https://notsite.example/', { isForSubdomains: true }, false],
    ['no site above', 'https://example/', { isForSubdomains: true }, false],
    ['every host of no top level', 'https://site.example/', { domain: 'example', isForSubdomains: true }, false],
    ['paths below its own', 'https://site.example/member/1', { path: '/member' }, true],
    ['no path beside', 'https://site.example/members', { path: '/member' }, false],
    ['no plain connection where it is for secure ones', 'http://site.example/', { secure: true }, false],
    ['secure connections', 'https://site.example/', { secure: true }, true],
    ['hosts as they are written', 'https://xn--bcher-kva.example/', { domain: '.Bücher.example' }, true],
  ])('go to %s', (_, url, more, isSent) => {
    expect(sentTo(url, [cookie(more)])).toBe(isSent ? 'sid=1' : '');
  });

  it('that have ended, or that no cookie may be like, are not sent', () => {
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

  it('are bounded in number', () => {
    expect(
      liveCookies(
        Array.from({ length: 500 }, (_, i) => cookie({ name: `c${i}` })),
        NOW,
      ),
    ).toHaveLength(200);
  });

  it('are in the jar once for each edition: what the site has set since is newer', () => {
    const sessions = new SessionCookies();
    const signedIn = { ...owner(), login: login('a', cookie({})) };
    sessions.jarOf(signedIn).store('https://site.example/', ['sid=2; Path=/']);
    expect(sessions.jarOf(signedIn).header('https://site.example/')).toBe('sid=2');
    const replaced = { ...owner(), login: login('b', cookie({ value: '9' })) };
    expect(sessions.jarOf(replaced).header('https://site.example/')).toBe('sid=9');
  });

  it('are in no jar of another session, login, workspace or of none', () => {
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

  it('are serialized with all their attributes', () => {
    expect(withAttributes(cookie({ value: 'v=1', path: '/m', secure: true, httpOnly: true, sameSite: 'none' }))).toBe(
      'v=1; Host=site.example; Path=/m; Secure; HttpOnly; SameSite=none',
    );
    expect(withAttributes(cookie({ isForSubdomains: true, sameSite: 'x; y' }))).toBe('1; Domain=site.example; Path=/');
  });
});

describe('a page read with a saved login', () => {
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

  it('takes its cookies over redirects to its own hosts only, beside those of the request', async () => {
    const budget = { remainingMs: () => 5_000, signal: new AbortController().signal };
    await new HttpEngine(client).fetch(
      {
        url: `${origins[0]}/away`,
        options: toCaptureOptions(captureOptions({ cookies: { lang: 'de' }, loginId: 'login_1', retries: 0 })),
        workspaceId: 'w',
        exit: undefined,
        session: '',
        unlessStill: undefined,
        isPaced: false,
        login: login('a', cookie({ domain: '127.0.0.2' })),
      },
      budget,
    );
    expect(seen).toEqual(['sid=1; lang=de', undefined, 'sid=1; lang=de']);
  });
});
