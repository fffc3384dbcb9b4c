import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { naughtyStrings } from './naughty-strings.ts';

/** A hostile page. */
export interface HostilePage {
  readonly name: string;
  /** Allowed verdicts of its row; any if absent. */
  readonly errorCodes?: readonly string[];
  readonly respond: (response: ServerResponse, path: string) => void;
}

const HTML = 'text/html; charset=utf-8';
const whole = (body: string | Uint8Array, type = HTML, headers = {}): HostilePage['respond'] => {
  return (response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
};

/** Sends a chunk `times` times or until the client disconnects. */
const stream = (chunk: string | Buffer, times: number): HostilePage['respond'] => {
  return (response) => {
    response.writeHead(200, { 'content-type': HTML });
    let left = times;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      if (!response.destroyed) response.end();
    };
    more();
  };
};

const drip = (head: Record<string, string>): HostilePage['respond'] => {
  return (response) => {
    response.writeHead(200, { 'content-type': HTML, ...head });
    const timer = setInterval(() => response.write('.'), 100);
    response.once('close', () => clearInterval(timer));
  };
};

const laughs = (doctype: string): string => {
  const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE ${doctype} [<!ENTITY l0 "lol">${entities.join('')}]><${doctype}>&l9;</${doctype}>`;
};

const links = Array.from({ length: 100_000 }, (_, n) => `<a href="/page/${n}">Page ${n}</a>`).join('\n');
const nested = (tag: string, times: number): string => `${`<${tag}>`.repeat(times)}deep${`</${tag}>`.repeat(times)}`;
const broken = (charset: string): Buffer =>
  Buffer.concat([
    Buffer.from(`<!doctype html><meta charset="${charset}"><p>`),
    Buffer.from(Array.from({ length: 40_000 }, (_, n) => (n * 131 + (n >> 3)) % 256)),
  ]);
const naughty = naughtyStrings
  .map((text) => `<h2>${text}</h2><p title="${text}">${text}</p><a href="${text}">${text}</a><pre>${text}</pre>`)
  .join('');

/** Texts that repeatedly begin like a pattern of the verdict rules and never complete it. */
const teasing = [
  'page ',
  'reddit ',
  'enable ',
  'javascript ',
  'you are ',
  'not available in ',
  '<!--',
  'log in with ',
  '404 ',
]
  .map((text) => `<h1>${text.repeat(4_000)}</h1><script>${text.repeat(20_000)}</script><p>${text.repeat(8_000)}</p>`)
  .join('');

const CHARSETS = [
  'utf-8',
  'utf-16',
  'shift_jis',
  'gb18030',
  'euc-kr',
  'big5',
  'iso-2022-jp',
  'x-user-defined',
  'klingon',
];

export const hostilePages: readonly HostilePage[] = [
  { name: 'elements 200,000 deep', respond: whole(nested('div', 200_000)) },
  { name: 'lists 50,000 deep', respond: whole(nested('ul><li', 50_000)) },
  { name: 'tables 20,000 deep', respond: whole(nested('table><tr><td', 20_000)) },
  { name: 'formatting 100,000 deep, never closed', respond: whole('<b><i><a href=/x>'.repeat(33_000)) },
  { name: '50 MB', errorCodes: ['NETWORK'], respond: stream(Buffer.alloc(65_536, '<p>filler text</p>\n'), 800) },
  { name: 'an endless stream', errorCodes: ['NETWORK', 'TIMEOUT'], respond: stream('<p>more</p>'.repeat(6_000), 1e9) },
  { name: 'a slow drip', errorCodes: ['TIMEOUT'], respond: drip({}) },
  { name: 'a slow drip of a promised length', errorCodes: ['TIMEOUT'], respond: drip({ 'content-length': '1000000' }) },
  {
    name: 'a gzip bomb',
    errorCodes: ['NETWORK'],
    respond: whole(gzipSync(Buffer.alloc(64 * 1024 * 1024)), HTML, { 'content-encoding': 'gzip' }),
  },
  {
    name: 'a redirect loop',
    errorCodes: ['NETWORK'],
    respond: (response, path) => void response.writeHead(302, { location: `${path}?again` }).end(),
  },
  {
    name: 'redirects that never end',
    errorCodes: ['NETWORK'],
    respond: (response, path) => void response.writeHead(302, { location: `${path}?${crypto.randomUUID()}` }).end(),
  },
  { name: 'a billion laughs in XML', respond: whole(laughs('lolz'), 'application/xml') },
  { name: 'a billion laughs in XHTML', respond: whole(laughs('html'), 'application/xhtml+xml') },
  { name: 'a billion laughs in a feed', respond: whole(laughs('rss'), 'application/rss+xml') },
  { name: '100,000 links', errorCodes: ['OK'], respond: whole(links) },
  {
    name: 'one element with 100,000 attributes',
    respond: whole(`<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>x`),
  },
  {
    name: 'a table cell that spans a million columns',
    respond: whole('<table><tr><td colspan=1000000 rowspan=65534>x<td>y</table>'.repeat(50)),
  },
  { name: 'words that tease every rule', respond: whole(teasing) },
  { name: 'JSON 100,000 deep', respond: whole('['.repeat(100_000), 'application/json') },
  { name: 'the naughty strings', errorCodes: ['OK'], respond: whole(naughty) },
  ...CHARSETS.map((charset) => ({
    name: `broken ${charset}`,
    respond: whole(broken(charset), `text/html; charset=${charset}`),
  })),
];
