import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderersIn } from './processes.ts';
import { eventually, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const LEAVE = `${TEXT}<script>
  document.cookie = 'by=script; max-age=3600'; localStorage.setItem('left', 'local'); sessionStorage.setItem('left', 'session');</script>`;
const READ_STATE = `${TEXT}<p id=found></p><script>
  found.textContent = [document.cookie, localStorage.left, sessionStorage.left, history.length].join('|')</script>`;

let site: TestSite;
let other: TestSite;
let pool: TestPool;

const pages = {
  '/leave': LEAVE,
  '/read-state': READ_STATE,
  '/login': (_: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'sid=1; HttpOnly; Max-Age=3600' }).end(TEXT),
  '/account': (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) =>
    void response
      .setHeader('content-type', 'text/html')
      .end(`<p id=found>${request.headers.cookie ?? 'none'}</p>${TEXT}`),
  '/count': (() => {
    let n = 0;
    return (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
      const seen = Number(/n=(\d+)/.exec(request.headers.cookie ?? '')?.[1] ?? 0);
      n += 1;
      const headers = { 'content-type': 'text/html', 'set-cookie': `n=${seen + 1}`, 'cache-control': 'max-age=3600' };
      response.writeHead(200, headers).end(`<p id=found>${seen} of ${n}</p>${TEXT}`);
    };
  })(),
};

beforeAll(async () => {
  site = await serveSite(pages);
  other = await serveSite(pages, '127.0.0.3');
  pool = await startTestPool([site, other], {
    BROWSER_TABS: '2',
    BROWSER_SESSIONS: '2',
    TIDEMARK_EXITS: 'closed=http://127.0.0.1:9',
  });
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

async function found(url: string, more: object): Promise<string | undefined> {
  return /<p id="found">(.*?)<\/p>/.exec((await pool.render(url, more)).html)?.[1];
}

describe('the pages of one session', () => {
  it('find cookies and storage of previous pages', async () => {
    await pool.render(`${site.url}/leave`, { session: 'a' });
    expect(await found(`${site.url}/read-state`, { session: 'a' })).toBe('by=script|local|session|2');
  });

  it('keep their cookies after a page of another site and after a failed page', async () => {
    await pool.render(`${site.url}/login`, { session: 'signed' });
    await pool.render(`${other.url}/leave`, { session: 'signed' });
    expect(await pool.render('http://127.0.0.1:1/', { session: 'signed' })).toMatchObject({ failure: 'egress' });
    expect(await found(`${site.url}/account`, { session: 'signed' })).toContain('sid=1');
  });

  it('are rendered one after another if requested concurrently, without the cache', async () => {
    const seen = await Promise.all([1, 2, 3].map(() => found(`${site.url}/count`, { session: 'queue' })));
    expect(seen.sort()).toEqual(['0 of 1', '1 of 2', '2 of 3']);
  });

  it('share no state with other sessions, workspaces or exits, or with pages without a session', async () => {
    await pool.render(`${site.url}/login`, { session: 'mine' });
    expect(await found(`${site.url}/account`, { session: 'yours' })).toBe('none');
    expect(await found(`${site.url}/account`, { session: 'mine', workspaceId: 'ws_two' })).toBe('none');
    expect(await found(`${site.url}/account`, {})).toBe('none');
    await pool.render(`${site.url}/login`, { session: 'mine' });
    const { id: exitLeaseId } = await pool.lease();
    expect(await pool.render(`${site.url}/account`, { session: 'mine', exitLeaseId })).toMatchObject({
      failure: 'exit',
    });
  });

  it('lose their state in least recently used order above the session limit', async () => {
    for (const session of ['one', 'two', 'three']) await pool.render(`${site.url}/login`, { session });
    expect(await found(`${site.url}/account`, { session: 'three' })).toBe('sid=1');
    expect(await found(`${site.url}/account`, { session: 'one' })).toBe('none');
  });

  it('lose their state after the idle time', async () => {
    const brief = await startTestPool([site], { BROWSER_SESSION_SECONDS: '1' });
    await brief.render(`${site.url}/login`, { session: 'brief' });
    // The tab of the session and the spare tab; then only the spare tab.
    await eventually(() => renderersIn(brief.profileDir).length === 2);
    await eventually(() => renderersIn(brief.profileDir).length === 1);
    expect((await brief.render(`${site.url}/account`, { session: 'brief' })).html).toContain('none');
    await brief.close();
  });
});
