import { createHash } from 'node:crypto';
import { asObject } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import { storedPage } from '@tidemark/web-pages';
import type { Express, Request, Response } from 'express';
import type { Endpoint, MountOptions } from '../http/mount.ts';
import { unreadResponses } from '../http/unread-responses.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The document has an opaque origin, runs only the script of the picker, loads nothing and can be framed by this origin only.
 * `allow-scripts` is for that script: those of the page fail the hash.
 */
const POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  `script-src ${hashOf(storedPage.script)}`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

const LINE_SEPARATORS = /[\u2028\u2029]/g;

/** Returns JSON that stays inside a script element: no `<` can begin a tag or a comment (HTML, 4.12.1.3). */
const embeddable = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replace(LINE_SEPARATORS, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);

/** Returns the document of the frame. The stored html is data in it: the script parses it without running or loading anything. */
const frameOf = (html: string | null): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stored page</title><style>${storedPage.style}</style></head>` +
  `<body><script type="application/json" id="stored">${embeddable(html)}</script><script>${storedPage.script}</script></body></html>`;

/** A browser that opens the address as a page names another destination; old browsers name none, and the policy holds for them. */
function refuseOtherUses(request: Request): void {
  const use = request.get('sec-fetch-dest') ?? 'iframe';
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  if (use === 'iframe' && site === 'same-origin') return;
  throw new AppError('forbidden', 'a stored page is shown only inside the console: open it there by Pick a selector');
}

/**
 * Mounts /stored/{project}?url=…&run_id=…: stored html for a sandboxed frame of the console. Access is that of GET /projects/{id}/pages/content.
 */
export function mountStored(app: Express, endpoints: readonly Endpoint[], options: MountOptions): void {
  const content = endpoints.find(({ route }) => route.id === 'getPageContent');
  if (content === undefined) return;
  app.get('/stored/:id', async (request: Request, response: Response) => {
    response.locals['route'] = 'GET /stored/{id}';
    refuseOtherUses(request);
    const parts = {
      params: request.params,
      query: { ...request.query, format: 'rawHtml' },
      body: {},
      idempotencyKey: '',
    };
    const { body } = await content.answer(parts, { request, response, options });
    const { html } = asObject(body);
    const page = Buffer.from(frameOf(typeof html === 'string' ? html : null));
    unreadResponses.hold(response, page.length);
    response
      .status(200)
      .set({ 'content-security-policy': POLICY, 'x-frame-options': 'SAMEORIGIN', 'cache-control': 'no-store' })
      .type('html')
      .send(page);
  });
}
