import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import {
  type LoginProbe,
  LoginServiceService as LoginRpc,
  type SessionCookie,
} from '@tidemark/contracts/scrape/v1/logins';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace } from '@tidemark/testkit';
import { loginsIn, openSessions, siteCookie, watchLoginReads } from './login-client.ts';
import { openRunPageClient, type RunPageClient } from './run-page-client.ts';
import { appShell, article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const SECRET = 'kelp-and-foam-41';
const loginPage =
  '<!doctype html><html><head><title>Log in</title></head><body><h1>Log in</h1><form action="/session"><label>E-mail <input type="email" name="mail"></label><label>Password <input type="password" name="password"></label><button>Log in</button></form><a href="/forgot">Forgot your password?</a></body></html>';

/** A site that shows pages to members, and a login page to other clients. */
function site(request: IncomingMessage, response: ServerResponse): void {
  const { url = '/', headers } = request;
  if (url === '/robots.txt') return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  const isMember = (headers.cookie ?? '').split('; ').includes(`sid=${SECRET}`);
  if (url.startsWith('/app')) return void response.end(appShell);
  if (url === '/login') return void response.end(loginPage);
  if (url === '/401') return void response.writeHead(401).end('<h1>Unauthorized</h1>');
  if (url === '/broken') return void response.writeHead(503).end('<h1>Service unavailable</h1>');
  if (!isMember) return void response.writeHead(302, { location: '/login' }).end();
  const held = holds.get(url);
  if (held !== undefined) {
    held.arrive();
    return void held.released.then(() => response.end(article('Members only')));
  }
  response.setHeader('etag', '"1"');
  if (headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
  response.end(article('Members only'));
}

const holds = new Map<string, { readonly arrive: () => void; readonly released: Promise<void> }>();

/** Makes the site hold back the page at a path until it is released. */
function hold(path: string) {
  const arrival = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  holds.set(path, { arrive: arrival.resolve, released: release.promise });
  return { arrived: arrival.promise, release: release.resolve };
}

let servers: ScrapeServers;
let runs: RunPageClient;
let sessions: ReturnType<typeof openSessions>;
let reads: Awaited<ReturnType<typeof watchLoginReads>>;
beforeAll(async () => {
  servers = await openScrape(site);
  runs = await openRunPageClient(servers);
  sessions = servers.own(openSessions(servers));
  reads = await watchLoginReads(servers);
}, 120_000);
afterAll(() => servers?.close(), 30_000);

/** A workspace with a saved login. */
async function member(cookies: SessionCookie[] = [siteCookie(SECRET)]) {
  const client = clientIn(servers);
  const loginId = await sessions.store(client.workspaceId, cookies);
  const scrape = async (path: string, more: Partial<CaptureOptions> = {}): Promise<PageRow | undefined> =>
    (await client.scrape(path, { options: captureOptions({ loginId, ...more }) })).page?.row;
  return { ...client, loginId, scrape };
}

describe('a page read with a saved login', () => {
  it('is visible to a member, and contains no part of the session', async () => {
    const client = await member();
    const row = await client.scrape('/members/1', { explain: true });
    expect(row).toMatchObject({ verdict: 'ok', title: 'Members only', redirects: [] });
    expect(JSON.stringify(row)).not.toContain(SECRET);
    const kept = await servers.database.sql<{ all: string }>(
      'SELECT (SELECT json_agg(j)::text FROM scrape.jobs j) || (SELECT json_agg(encode(payload, $1))::text FROM scrape.outbox) AS all',
      ['escape'],
    );
    expect(JSON.stringify(kept)).not.toContain(SECRET);
  });

  it('is captured as a login page where the session has ended, free of charge', async () => {
    const row = await (await member([siteCookie('ended')])).scrape('/members/2');
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', credits: 0, httpStatus: 200 });
  });

  it('is not fetched if the login does not exist: blocked, free, without a request to the site', async () => {
    const requests = servers.site.seen.length;
    const row = await (await member()).scrape('/members/3', { loginId: 'login_gone' });
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', credits: 0, httpStatus: 0 });
    expect(row?.reason).toContain('saved login');
    expect(servers.site.seen.length).toBe(requests);
  });

  it('is not fetched with the login of another workspace', async () => {
    const { loginId } = await member();
    const row = await (await member()).scrape('/members/4', { loginId });
    expect(row).toMatchObject({ errorCode: 'LOGIN_REQUIRED', httpStatus: 0 });
  });

  it('waits if the login cannot be read, and is never fetched signed out meanwhile', async () => {
    const client = await member();
    const readsBefore = await reads.count();
    await reads.failNext();
    const { job } = await clientIn(servers, client.workspaceId).scrape('/members/5', {
      options: captureOptions({ loginId: client.loginId }),
    });
    await client.ended(job?.id ?? '');
    const stored = await servers.rowOf(job?.id ?? '');
    const row = await runs.rowOf({ captureId: stored?.capture_id ?? '' });
    expect(row).toMatchObject({ verdict: 'ok', title: 'Members only' });
    expect((await reads.count()) - readsBefore).toBe(2);
    expect(servers.site.requestCount('/members/5')).toBe(1);
  });

  it('reads the login for fewer times than pages, once a second at most', async () => {
    const client = await member();
    const readsBefore = await reads.count();
    await Promise.all([1, 2, 3, 4].map((page) => client.scrape(`/members/many/${page}`)));
    expect((await reads.count()) - readsBefore).toBeLessThan(4);
  });

  it('ends on another instance when the login is deleted, before the site answers, and no later page is fetched', async () => {
    const other = await servers.replica();
    const { peer } = servers.service;
    const client = await member();
    const caller = callerIn(client.workspaceId);
    const options = captureOptions({ loginId: client.loginId });
    const scrapeOnOther = (path: string) =>
      client.scrapeAt(other, new URL(path, servers.site.origin).href, { options }).then(({ page }) => page?.row);
    expect(await scrapeOnOther('/members/before')).toMatchObject({ verdict: 'ok' });
    const held = hold('/members/held');
    const inProgress = scrapeOnOther('/members/held');
    await held.arrived;
    await peer.call(LoginRpc.deleteLogin, { id: client.loginId, namedByProject: false }, caller);
    const gone = { verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', signals: ['saved login gone'], credits: 0 };
    expect(await inProgress).toMatchObject(gone);
    expect(await scrapeOnOther('/members/after')).toMatchObject(gone);
    expect(servers.site.requestCount('/members/after')).toBe(0);
    held.release();
    await other.close();
  });

  it('is answered from the archive only by captures with the same login', async () => {
    await (await member()).scrape('/members/6', { maxAgeSeconds: 600 });
    await clientIn(servers).scrape('/members/6', { options: captureOptions({ maxAgeSeconds: 600 }) });
    const [withLogin, without] = servers.archive.requests.slice(-2);
    expect(withLogin?.urlKey).toEqual(without?.urlKey);
    expect(withLogin?.captureKey).not.toBe(without?.captureKey);
  });

  it('sends the session to the browser with its cookie rules, together with the cookies of the request', async () => {
    servers.browsers.render = () => ({ html: article('Rendered') });
    const client = await member([
      siteCookie(SECRET),
      siteCookie('x', { name: 'b', domain: 'site.example', isForSubdomains: true, secure: true }),
    ]);
    const row = await client.scrape('/app', {
      cookies: { lang: 'de', 'b b': '1' },
    });
    expect(row).toMatchObject({ verdict: 'ok', tier: 'browser' });
    expect(row?.warnings).toContain('cookie "b b" not sent: it contains a forbidden character');
    expect(servers.browsers.renderRequests.at(-1)?.cookies).toEqual([
      { name: 'sid', value: `${SECRET}; Host=127.0.0.2; Path=/` },
      { name: 'b', value: 'x; Domain=site.example; Path=/; Secure' },
      { name: 'lang', value: 'de' },
    ]);
  });
});

describe('a page of a run with a saved login', () => {
  it('reports a dead login if the login does not exist or the home page is a login page, and not if it works', async () => {
    const { url, runPage } = runs;
    const alive = await member();
    const works = await runPage(alive.workspaceId, captureOptions({ loginId: alive.loginId }), { url: url('/run/1') });
    expect(works).toMatchObject({ verdict: 'ok', loginDead: false });
    const dead = await member([siteCookie('ended')]);
    const home = { url: url('/run/2'), isHome: true };
    const shown = await runPage(dead.workspaceId, captureOptions({ loginId: dead.loginId }), home);
    expect(shown).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', loginDead: true });
    const gone = await runPage(alive.workspaceId, captureOptions({ loginId: 'gone' }), { url: url('/run/3') });
    expect(gone).toMatchObject({ errorCode: 'LOGIN_REQUIRED', httpStatus: 0, credits: 0, loginDead: true });
    expect(servers.site.requestCount('/run/3')).toBe(0);
    const signedOut = await runPage(newWorkspace(), captureOptions(), { url: url('/run/4'), isHome: true });
    expect(signedOut).toMatchObject({ errorCode: 'LOGIN_REQUIRED', loginDead: false });
  });

  it('reports a dead login after three login pages in a row in place of pages, and not for a login page or a 401', async () => {
    const { url, runPage } = runs;
    const { workspaceId, loginId } = await member([siteCookie('ended')]);
    const dead: boolean[] = [];
    for (const path of ['/run/5', '/login', '/401', '/run/6', '/401', '/run/7']) {
      const page = await runPage(workspaceId, captureOptions({ loginId }), { url: url(path), runId: 'run_of_three' });
      expect(page.errorCode).toBe('LOGIN_REQUIRED');
      dead.push(page.loginDead);
    }
    expect(dead).toEqual([false, false, false, false, false, true]);
  });
});

describe('the home page of a run', () => {
  const htmlOf = async (row: PageRow): Promise<string | undefined> => (await runs.bodiesOf(row)).rawHtml;

  it('stores its HTML with the requested formats, and other pages do not', async () => {
    const { url, runPage, rowOf } = runs;
    const { workspaceId, loginId } = await member();
    const options = captureOptions({ loginId, htmlOfHome: true });
    const home = url('/home');
    const first = await rowOf(await runPage(workspaceId, options, { url: home, isHome: true }));
    expect(first.formats).toEqual(['markdown', 'links', 'rawHtml']);
    expect(await htmlOf(first)).toContain('<h1>Members only</h1>');
    const other = await rowOf(await runPage(workspaceId, options, { url: home }));
    expect(other.formats).toEqual(['markdown', 'links']);
    expect(await htmlOf(other)).toBeUndefined();
    const withoutHtml = captureOptions({ loginId });
    const plain = await rowOf(await runPage(workspaceId, withoutHtml, { url: home, isHome: true }));
    expect(plain.formats).toEqual(['markdown', 'links']);

    const still = await runPage(workspaceId, options, { url: home, isHome: true, earlier: first });
    expect(still).toMatchObject({ unchanged: true });
    expect((await rowOf(still)).content?.sha256).toBe(first.content?.sha256);
    const whole = await runPage(workspaceId, options, { url: home, isHome: true, earlier: other });
    expect(whole).toMatchObject({ unchanged: false, httpStatus: 200 });
    expect(await htmlOf(await rowOf(whole))).toContain('<h1>Members only</h1>');
  });
});

describe('the fetch of a login’s test', () => {
  /** Tests a login whose front page is this URL. */
  const probe = async (path: string, sid: string): Promise<LoginProbe | undefined> => {
    const { workspaceId, test } = loginsIn(servers);
    const frontPage = new URL(path, servers.site.origin).href;
    return (await test(await sessions.store(workspaceId, [siteCookie(sid)], frontPage))).probe;
  };

  it('reports whether the site answers and shows a login page, and stores no body', async () => {
    const kept = () => readdirSync(servers.blobDir, { recursive: true }).length;
    const before = kept();
    expect(await probe('/front', SECRET)).toMatchObject({
      answered: true,
      httpStatus: 200,
      showsLogin: false,
    });
    expect(await probe('/front', 'ended')).toEqual({
      answered: true,
      httpStatus: 200,
      showsLogin: true,
      landedUrl: new URL('/login', servers.site.origin).href,
      reason: 'the page requires the visitor to log in',
    });
    expect(kept()).toBe(before);
  });

  it('reports what it cannot find out: an application shell, a failing site, a URL outside the public web', async () => {
    const shell = await probe('/app', SECRET);
    expect(shell).toMatchObject({ answered: true, showsLogin: false });
    expect(shell?.reason).toContain('a run is the real test');
    expect(await probe('/broken', SECRET)).toMatchObject({ answered: false, httpStatus: 503, showsLogin: false });
    const inside = await probe('http://127.0.0.1:1/', SECRET);
    expect(inside).toMatchObject({ answered: false, httpStatus: 0, showsLogin: false });
    expect(inside?.reason).not.toBe('');
    await expect(probe('file:///etc/passwd', SECRET)).rejects.toMatchObject({ code: 'validation' });
  });
});
