import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { newEmail, PASSWORD } from '../harness/people.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';
import { openBrowser, submit, type TestBrowser, type TestPage, untilPath } from './browser.ts';

/** Another site, which resolves to this machine, and another port of the same host. */
const HOSTS = ['attacker.test', 'localhost'] as const;

let site: AccountSite;
let chromium: TestBrowser;
let attacker: Awaited<ReturnType<typeof startAttacker>>;
/** A page of a browser with a session. */
let page: Page;
beforeAll(async () => {
  site = await startAccountSite();
  attacker = await startAttacker();
  chromium = await openBrowser(['--host-resolver-rules=MAP attacker.test 127.0.0.1']);
  ({ page } = await signedIn());
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await attacker?.close();
  await site?.close();
});

/** Serves the page of an attacker, whose markup a test sets. */
async function startAttacker() {
  let html = '';
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>attack</title>${html}`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  return {
    urlAt: (host: string) => `http://${host}:${port}/`,
    show: (markup: string) => {
      html = markup;
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

async function signedIn(): Promise<TestPage> {
  const opened = await chromium.open();
  await opened.page.goto(`${site.url}/auth/signup`);
  await submit(opened.page, { name: 'Ann', email: newEmail(), password: PASSWORD });
  await untilPath(opened.page, '/auth/account');
  return opened;
}

/** Opens the attacker's page and returns the status of the response to the request that it causes. */
async function statusOf(
  page: Page,
  { host, path, markup }: { host: string; path: string; markup: string },
): Promise<number> {
  attacker.show(markup);
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path, { timeout: 20_000 });
  await page.goto(attacker.urlAt(host));
  return (await answered).status();
}

const isSignedIn = async (page: Page): Promise<boolean> => {
  await page.goto(`${site.url}/auth/login`);
  return (await page.evaluate(`fetch('/v1/auth/session').then(({ status }) => status)`)) === 200;
};

/** Markup that sends a request when it is shown. */
const REQUESTS = {
  'a form': (url: string) =>
    `<form method=post enctype="text/plain" action="${url}"><input name='{"everywhere":true,"x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
  'a simple fetch': (url: string) =>
    `<script>fetch('${url}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"everywhere":true}' })</script>`,
} as const;

describe.each(HOSTS)('a page of %s', (host) => {
  it.each(['a form', 'a simple fetch'] as const)('ends no session with %s: the response is 403', async (kind) => {
    const path = '/v1/auth/logout';
    expect(await statusOf(page, { host, path, markup: REQUESTS[kind](`${site.url}${path}`) })).toBe(403);
    expect(await isSignedIn(page)).toBe(true);
  });

  it('signs the browser in to no account of its own (login CSRF)', async () => {
    const { email } = await site.people.signUp();
    const visitor = await chromium.open();
    const body = JSON.stringify({ email, password: PASSWORD });
    const markup = `<script>fetch('${site.url}/v1/auth/login', { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(body)} })</script>`;
    expect(await statusOf(visitor.page, { host, path: '/v1/auth/login', markup })).toBe(403);
    expect(await isSignedIn(visitor.page)).toBe(false);
    await visitor.context.close();
  });

  it('reads no response with the session of the browser', async () => {
    attacker.show('');
    await page.goto(attacker.urlAt(host));
    const read = await page.evaluate(
      `fetch('${site.url}/v1/auth/session', { credentials: 'include' }).then((response) => response.text(), () => 'refused')`,
    );
    expect(read).toBe('refused');
  });

  it('shows no page of accounts in a frame', async () => {
    const names = ['login', 'account', 'code'];
    attacker.show(names.map((name) => `<iframe src="${site.url}/auth/${name}"></iframe>`).join(''));
    await page.goto(attacker.urlAt(host), { waitUntil: 'load' });
    const [, ...frames] = page.frames();
    expect(frames.map((frame) => frame.url().includes('/auth/'))).toEqual(names.map(() => false));
  });
});

describe('the return path after a sign-in', () => {
  it.each([
    '//attacker.test/',
    '/\\attacker.test/',
    'https://attacker.test/',
    '/%09/attacker.test',
    'javascript:alert(1)',
    '/..//attacker.test',
  ])('%s leads to no other origin', async (next) => {
    const { email } = await site.people.signUp();
    const { page, context, problems } = await chromium.open();
    await page.goto(`${site.url}/auth/login?next=${encodeURIComponent(next)}`);
    await submit(page, { email, password: PASSWORD });
    await page.waitForFunction(`location.pathname !== '/auth/login' && document.readyState === 'complete'`);
    expect(new URL(page.url()).origin).toBe(site.url);
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    await context.close();
  });
});

describe('the session cookie', () => {
  it.each(['localhost', '127.0.0.1'])(
    'is kept and sent by Chromium over http on %s, and no script reads it',
    async (host) => {
      const { page, context } = await chromium.open();
      await page.goto(`${site.url.replace('localhost', host)}/auth/signup`);
      await submit(page, { name: 'Ann', email: newEmail(), password: PASSWORD });
      await untilPath(page, '/auth/account');
      const [cookie, ...others] = await context.cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ httpOnly: true, secure: true, path: '/', sameSite: 'Lax', domain: host });
      expect(cookie?.name).toMatch(/^__Host-tidemark_\d+$/);
      expect(await page.evaluate('document.cookie')).toBe('');
      await page.reload();
      expect(await page.evaluate(`fetch('/v1/auth/session').then(({ status }) => status)`)).toBe(200);
      await context.close();
    },
  );

  it('is not set over http on another host name, and the page states what to do', async () => {
    const { page, context } = await chromium.open();
    await page.goto(`${site.url.replace('localhost', 'attacker.test')}/auth/login`);
    await submit(page, { email: newEmail(), password: PASSWORD });
    await page.waitForFunction(`document.body.innerText.includes('open this address with https')`);
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });
});
