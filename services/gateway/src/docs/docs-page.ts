import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { STYLE } from './docs.css.ts';
import { readDocument } from './openapi.ts';
import { renderPage } from './render-page.ts';

/** Nothing runs on this page and nothing is fetched by it: one style sheet, known by its hash, and an icon inside it. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE.text).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Rendering takes some 30 ms and anyone may ask; a Host header is free to invent, so few are kept.
const KEPT_MAX = 16;

/** The documentation of every route, rendered from the contract's own OpenAPI document for the host that was asked. */
export function docsPage(openApi: (serverUrl: string) => Record<string, unknown>): RequestHandler {
  const kept = new Map<string, string>();
  return (request, response) => {
    const serverUrl = `${request.protocol}://${request.get('host') ?? 'localhost'}/v1`;
    const page = kept.get(serverUrl) ?? renderPage(readDocument(openApi(serverUrl)));
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(serverUrl, page);
    response.set('content-security-policy', CONTENT_SECURITY_POLICY).type('html').send(page);
  };
}
