import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: TestSite;
let other: TestSite;
let pool: TestPool;
/** Cookie header of each request, of both sites. */
const seen: { readonly path: string; readonly cookie: string }[] = [];
const note = (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
  seen.push({ path: `${request.headers.host} ${request.url}`, cookie: request.headers.cookie ?? '' });
  response.setHeader('content-type', 'text/html');
};
const page: import('node:http').RequestListener = (request, response) => {
  note(request, response);
  response.setHeader('access-control-allow-origin', '*');
  response.end(`<p id=found></p>${TEXT}<script>found.textContent = document.cookie</script>`);
};
const cookiesAt = (path: string): string | undefined => seen.findLast((one) => one.path === path)?.cookie;

beforeAll(async () => {
  other = await serveSite(
    {
      '/back': (request, response) => {
        note(request, response);
        response.writeHead(302, { location: `${site.url}/member/end` }).end();
      },
      '/there': page,
    },
    '127.0.0.3',
  );
  site = await serveSite({
    '/away': (request, response) => {
      note(request, response);
      response.writeHead(302, { location: `${other.url}/back` }).end();
    },
    '/member/end': page,
    '/plain': page,
    '/calls': (request, response) => {
      note(request, response);
      response.end(`${TEXT}<script>fetch('${other.url}/there', { credentials: 'include' }).catch(() => 0)</script>`);
    },
  });
  pool = await startTestPool([site, other]);
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

const cookies = [
  { name: 'sid', value: 'secret; Host=127.0.0.2; Path=/; HttpOnly' },
  { name: 'area', value: '1; Host=127.0.0.2; Path=/member; SameSite=Lax' },
  { name: 'wide', value: '1; Domain=site.example; Path=/; Secure; SameSite=None' },
  { name: 'lang', value: 'de' },
];

describe('cookies with attributes', () => {
  it('are sent as their attributes require, over redirects too, together with those of the page’s host', async () => {
    const { html, warnings, landedUrl } = await pool.render(`${site.url}/away`, { cookies });
    expect(landedUrl).toBe(`${site.url}/member/end`);
    expect(cookiesAt(`${site.authority} /away`)?.split('; ').sort()).toEqual(['lang=de', 'sid=secret']);
    expect(cookiesAt(`${other.authority} /back`)).toBe('');
    expect(cookiesAt(`${site.authority} /member/end`)?.split('; ').sort()).toEqual(['area=1', 'lang=de', 'sid=secret']);
    // Scripts cannot read HttpOnly cookies.
    expect(/<p id="found">(.*?)<\/p>/.exec(html)?.[1]?.split('; ').sort()).toEqual(['area=1', 'lang=de']);
    expect(warnings).toEqual([]);
  });

  it('are not sent to other hosts that the page requests', async () => {
    await pool.render(`${site.url}/calls`, { cookies });
    await eventually(() => cookiesAt(`${other.authority} /there`) !== undefined);
    expect(cookiesAt(`${other.authority} /there`)).toBe('');
  });

  it('are removed after the page', async () => {
    await pool.render(`${site.url}/plain`, { cookies });
    await pool.render(`${site.url}/plain`);
    expect(cookiesAt(`${site.authority} /plain`)).toBe('');
  });

  it.each([
    ['a=b', '1'],
    ['', '1'],
    ['a', '1\r\nb'],
    ['a', '1; Domain=; Path=/'],
    ['a', '1; Domain=exa mple'],
    ['a', '1; Host=site.example; Path=nowhere'],
  ])('are rejected if invalid: %j %j', async (name, value) => {
    await expect(pool.render(`${site.url}/plain`, { cookies: [{ name, value }] })).rejects.toMatchObject({
      code: 'validation',
    });
  });
});
