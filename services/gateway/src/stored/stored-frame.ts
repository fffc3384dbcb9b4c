import { createHash } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { Request, Response } from 'express';
import { unreadResponses } from '../http/unread-responses.ts';

/** A document with one script of its own, which shows the data that is embedded in it. */
export interface FrameFiles {
  readonly script: string;
  readonly style: string;
}

/** A frame whose data is a part of the document, in an element with an id. */
export interface Frame {
  readonly title: string;
  readonly dataId: string;
  readonly files: FrameFiles;
  readonly policy: string;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Returns the policy of a frame: an opaque origin, no script but its own, and nothing is loaded but pictures of `images`. It can be framed by this
 * origin only. `allow-scripts` is for its script: those of the page fail the hash.
 */
export const policyOf = ({ script }: FrameFiles, images: 'data:' | "'none'"): string =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    "style-src 'unsafe-inline'",
    `img-src ${images}`,
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

/** Sends a frame. Stored html is data in it: the script parses it without running or loading anything. */
export function sendFrame(response: Response, { title, dataId, files, policy }: Frame, data: unknown): void {
  const page = Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${files.style}</style></head>` +
      `<body><script type="application/json" id="${dataId}">${embeddable(data)}</script><script>${files.script}</script></body></html>`,
  );
  unreadResponses.hold(response, page.length);
  response
    .status(200)
    .set({ 'content-security-policy': policy, 'x-frame-options': 'SAMEORIGIN', 'cache-control': 'no-store' })
    .type('html')
    .send(page);
}

/**
 * Refuses every use but a frame of this origin. A browser that opens the URL as a page names another destination; old browsers name none, and
 * the policy holds for them.
 */
export function refuseOtherUses(request: Request): void {
  const use = request.get('sec-fetch-dest') ?? 'iframe';
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  if (use === 'iframe' && site === 'same-origin') return;
  throw new AppError('forbidden', 'a stored page is shown only inside the console: open it there');
}
