import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type PoolUnderTest, type Site, serveSite, startPool } from './pool-under-test.ts';
import { renderersIn } from './processes.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const LEAVE = `${TEXT}<script>
  document.cookie = 'by=script; max-age=3600'; localStorage.setItem('left', 'local'); sessionStorage.setItem('left', 'session');</script>`;
const LOOK = `${TEXT}<p id=found></p><script>
  found.textContent = [document.cookie, localStorage.left, sessionStorage.left, history.length].join('|')</script>`;

let site: Site;
let other: Site;
let pool: PoolUnderTest;

const pages = {
  '/leave': LEAVE,
  '/look': LOOK,
  '/login': (_: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'sid=1; HttpOnly; Max-Age=3600' }).end(TEXT),
  '/account': (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) =>
    void response
      .setHeader('content-type', 'text/html')
      .end(`<p id=found>${request.headers.cookie ?? 'nobody'}</p>${TEXT}`),
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
  pool = await startPool([site, other], {
    BROWSER_TABS: '2',
    BROWSER_SESSIONS: '2',
    TIDEMARK_EXITS: 'gone=http://127.0.0.1:9',
  });
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

async function found(url: string, more: object): Promise<string | undefined> {
  return /<p id="found">(.*?)<\/p>/.exec((await pool.render(url, more)).html)?.[1];
}

describe('pages of one session', () => {
  it('find the cookies and the storage of the ones before', async () => {
    await pool.render(`${site.url}/leave`, { session: 'a' });
    expect(await found(`${site.url}/look`, { session: 'a' })).toBe('by=script|local|session|2');
  });

  it('stay signed in, elsewhere in between and after a page that failed', async () => {
    await pool.render(`${site.url}/login`, { session: 'signed' });
    await pool.render(`${other.url}/leave`, { session: 'signed' });
    expect(await pool.render('http://127.0.0.1:1/', { session: 'signed' })).toMatchObject({ failure: 'egress' });
    expect(await found(`${site.url}/account`, { session: 'signed' })).toContain('sid=1');
  });

  it('come one after the other, even when asked for at once, and none from a cache', async () => {
    const seen = await Promise.all([1, 2, 3].map(() => found(`${site.url}/count`, { session: 'queue' })));
    expect(seen.sort()).toEqual(['0 of 1', '1 of 2', '2 of 3']);
  });

  it('share nothing with another session, workspace or exit, or with a page without', async () => {
    await pool.render(`${site.url}/login`, { session: 'mine' });
    expect(await found(`${site.url}/account`, { session: 'yours' })).toBe('nobody');
    expect(await found(`${site.url}/account`, { session: 'mine', workspaceId: 'ws_two' })).toBe('nobody');
    expect(await found(`${site.url}/account`, {})).toBe('nobody');
    await pool.render(`${site.url}/login`, { session: 'mine' });
    const { id: exitLeaseId } = await pool.lease();
    expect(await pool.render(`${site.url}/account`, { session: 'mine', exitLeaseId })).toMatchObject({
      failure: 'exit',
    });
  });

  it('are kept while there is room: the session used least recently goes first', async () => {
    for (const session of ['one', 'two', 'three']) await pool.render(`${site.url}/login`, { session });
    expect(await found(`${site.url}/account`, { session: 'three' })).toBe('sid=1');
    expect(await found(`${site.url}/account`, { session: 'one' })).toBe('nobody');
  });

  it('are kept for a while only', async () => {
    const brief = await startPool([site], { BROWSER_SESSION_SECONDS: '1' });
    await brief.render(`${site.url}/login`, { session: 'brief' });
    // The tab of the session, and the one held ready; then that alone.
    await eventually(() => renderersIn(brief.profileDir).length === 2);
    await eventually(() => renderersIn(brief.profileDir).length === 1);
    expect((await brief.render(`${site.url}/account`, { session: 'brief' })).html).toContain('nobody');
    await brief.close();
  });
});
