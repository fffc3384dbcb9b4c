import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Serve } from './server.ts';

const HTML = 'text/html; charset=utf-8';

/** A file of the pages folder. */
export const page = (file: string): Buffer => readFileSync(join(import.meta.dirname, 'pages', file));

/** Responds with a body. */
export const body =
  (content: string | Uint8Array, headers: OutgoingHttpHeaders = {}, status = 200): Serve =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': HTML, ...headers }).end(content);

/** Responds with a file of the pages folder. */
export const file = (name: string, status = 200, headers: OutgoingHttpHeaders = {}): Serve => {
  const content = page(name);
  return body(content, headers, status);
};

/** Redirects; `to` receives the addresses of the hosts. */
export const redirect =
  (status: number, to: string | ((url: (path: string, host?: 'open' | 'other') => string) => string)): Serve =>
  (_request, response, site) => {
    const location = typeof to === 'string' ? to : to(site.url);
    response.writeHead(status, { location }).end();
  };

/** Responds with raw bytes instead of HTTP and closes the connection. */
export const bytes =
  (raw: string): Serve =>
  (request) =>
    void request.socket.end(raw, 'latin1');

/** Sends one byte at intervals, without end. */
export const drip =
  (everyMs: number): Serve =>
  (request, response) => {
    response.writeHead(200, { 'content-type': HTML });
    const timer = setInterval(() => response.write('.'), everyMs);
    request.socket.once('close', () => clearInterval(timer));
  };

const CHUNK = Buffer.from(`<p>${'salt and rope and tar '.repeat(2_978)}</p>\n`);

/** A page of a given size, streamed without a Content-Length. */
export const large =
  (megabytes: number): Serve =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': HTML });
    response.write('<!doctype html><title>Endless</title><body>');
    let left = Math.ceil((megabytes * 1024 * 1024) / CHUNK.length);
    const more = (): void => {
      while (left > 0) {
        left -= 1;
        if (!response.write(CHUNK)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
