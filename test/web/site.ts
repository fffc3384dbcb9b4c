import type { IncomingMessage, ServerResponse } from 'node:http';
import { charsets, codings } from './encodings.ts';
import { body, bytes, drip, file, large, page, redirect } from './responses.ts';
import type { Host, Serve } from './server.ts';

const APP_DATA = {
  title: 'Tide tables for the week',
  paragraphs: [
    'High water at Harlow Point comes at six in the morning on Monday and fifty minutes later every day after that, so that by the end of the week the boats leave at eleven.',
    'The tables were computed from the constants of nine years of readings. Wind from the north-east raises the water by up to thirty centimetres, and the keeper adds the correction by hand.',
  ],
};

/** About 40 KB of ordinary prose, the median size of measured web pages. */
const ordinary = (): string => {
  const paragraph = /<p>(The tide[^<]+)<\/p>/.exec(page('article.html').toString('utf8'))?.[1] ?? '';
  const sections = Array.from({ length: 110 }, (_, i) => `<h2>Day ${i + 1}</h2>\n<p>${paragraph} Entry ${i + 1}.</p>`);
  return `<!doctype html><html lang="en"><head><title>The log of a season</title></head><body><nav><a href="/">Home</a></nav><main><h1>The log of a season</h1>${sections.join('\n')}</main></body></html>`;
};

const cookieRead: Serve = (request, response, site) => {
  const knows = request.headers.cookie === 'visited=yes';
  (knows ? file('article.html') : file('refused.html', 403))(request, response, site);
};

/** A minimal PDF with one sentence. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R>>endobj
4 0 obj<</Length 47>>stream
BT /F1 12 Tf 20 50 Td (High water at six.) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`;

const pages: Readonly<Record<string, Serve>> = {
  '/': file('article.html'),
  '/article': file('article.html', 200, { etag: '"1840-2024"', 'last-modified': 'Mon, 04 Mar 2024 08:00:00 GMT' }),
  '/ordinary': body(ordinary()),
  '/docs': file('docs.html'),
  '/listing': file('listing.html'),
  '/product': file('product.html'),
  '/tiny': file('tiny.html'),
  '/empty': body(''),
  '/app-shell': file('app-shell.html'),
  '/prying-shell': file('prying-shell.html'),
  '/app-data.json': body(JSON.stringify(APP_DATA), { 'content-type': 'application/json' }),
  '/app.js': body('', { 'content-type': 'text/javascript' }),
  '/server-rendered': file('server-rendered.html'),
  '/cookie-banner': file('cookie-banner.html'),
  '/soft-404': file('soft-404.html'),
  '/login': file('login.html'),
  '/late': file('late.html'),
  '/buttons': file('buttons.html'),
  '/echo': echo,
  '/challenge': file('challenge.html'),
  '/private/article': file('article.html'),

  '/status/401': file('login.html', 401, { 'www-authenticate': 'Bearer' }),
  '/status/403': file('refused.html', 403),
  '/status/404': file('not-found.html', 404),
  '/status/410': file('not-found.html', 410),
  '/status/429': body('Too many requests', { 'retry-after': '60' }, 429),
  '/status/500': file('server-error.html', 500),
  '/status/503': file('server-error.html', 503),

  '/redirect/301': redirect(301, '/article'),
  '/redirect/302': redirect(302, '/article'),
  '/redirect/303': redirect(303, '/article'),
  '/redirect/307': redirect(307, '/article'),
  '/redirect/308': redirect(308, '/article'),
  '/redirect/chain': redirect(302, '/redirect/chain-2'),
  '/redirect/chain-2': redirect(301, '/redirect/chain-3'),
  '/redirect/chain-3': redirect(307, '/article'),
  '/redirect/loop': redirect(302, '/redirect/loop-back'),
  '/redirect/loop-back': redirect(302, '/redirect/loop'),
  '/redirect/cross-host': redirect(302, (url) => url('/article', 'other')),
  '/redirect/echo-elsewhere': redirect(302, (url) => url('/echo', 'other')),
  '/cookie/set': redirectWithCookie('/cookie/read'),
  '/cookie/read': cookieRead,

  '/type/json': body(JSON.stringify(APP_DATA), { 'content-type': 'application/json' }),
  '/type/xml': body(
    `<?xml version="1.0"?><report><title>${APP_DATA.title}</title>${APP_DATA.paragraphs.map((text) => `<p>${text}</p>`).join('')}</report>`,
    { 'content-type': 'application/xml' },
  ),
  '/type/text': body(APP_DATA.paragraphs.join('\n\n'), { 'content-type': 'text/plain; charset=utf-8' }),
  '/type/pdf': body(PDF, { 'content-type': 'application/pdf' }),

  '/slow/drip': drip(100),
  '/slow/silent': () => undefined,
  '/slow/stalled': (_request, response) => void response.writeHead(200, { 'content-length': 9_000 }).write('<p>'),
  '/broken/reset': (request) => void request.socket.resetAndDestroy(),
  '/broken/no-http': bytes('It is low water.\r\n\r\n'),
  '/broken/header': bytes('HTTP/1.1 200 OK\r\nContent-Length: twelve\r\n\r\nhigh water'),
  '/broken/short': bytes('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>cut'),
  '/broken/huge': large(25),

  ...charsets,
  ...codings,
};

function redirectWithCookie(to: string): Serve {
  return (_request, response) =>
    void response.writeHead(302, { location: to, 'set-cookie': 'visited=yes; Path=/; HttpOnly' }).end();
}

/** Held until the test opens the gate, then an article. */
const gated =
  (name: string): Serve =>
  (request, response, site) =>
    void site.gate(name).then(() => file('article.html')(request, response, site));

/** Redirects to the URL of the query. */
const redirectTo: Serve = (request, response, site) => {
  const to = new URL(request.url ?? '/', 'http://web.test').searchParams.get('to') ?? '/';
  // Sites send UTF-8 bytes in Location headers, although the standard forbids it.
  redirect(302, Buffer.from(to).toString('latin1'))(request, response, site);
};

/** Returns the request's headers. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const lines = Object.entries(request.headers).map(([name, value]) => `<li>${name}: ${String(value)}</li>`);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><title>What you said</title><main><ul>${lines.join('')}</ul></main></html>`,
  );
}

/** Fails twice and then succeeds. */
const flaky: Serve = (request, response, site) => {
  const path = request.url ?? '';
  const before = failures.get(path) ?? 0;
  failures.set(path, before + 1);
  (before < 2 ? file('server-error.html', 503) : file('article.html'))(request, response, site);
};
const failures = new Map<string, number>();

/** Handlers of the test sites, by path. */
export function openSite(path: string): Serve {
  if (path.startsWith('/gate/')) return gated(path.slice('/gate/'.length));
  if (path.startsWith('/flaky/')) return flaky;
  if (path === '/redirect/to') return redirectTo;
  return pages[path] ?? file('not-found.html', 404);
}

/** robots.txt of each host. */
export function robotsOf(host: Host): Serve {
  const text = { 'content-type': 'text/plain' };
  if (host === 'ruled') return body('User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n', text);
  if (host === 'failing') return body('try again later', text, 503);
  return file('not-found.html', 404);
}
