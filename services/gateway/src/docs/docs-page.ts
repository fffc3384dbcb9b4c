import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { STYLE } from './docs.css.ts';
import { readDocument } from './openapi.ts';
import { renderPage } from './render-page.ts';

/** The page has no scripts and loads nothing: one inline style sheet, allowed by its hash, and an inline icon. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE.text).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Rendering takes about 30 ms and the route is public. Clients choose the Host header, so the cache is small.
const CACHE_MAX = 16;

/** Renders the documentation of every route from the OpenAPI document, for the requested host. */
export function docsPage(openApi: (serverUrl: string) => Record<string, unknown>): RequestHandler {
  const cached = new Map<string, string>();
  return (request, response) => {
    const serverUrl = `${request.protocol}://${request.get('host') ?? 'localhost'}/v1`;
    const page = cached.get(serverUrl) ?? renderPage(readDocument(openApi(serverUrl)));
    if (cached.size >= CACHE_MAX) cached.clear();
    cached.set(serverUrl, page);
    response.set('content-security-policy', CONTENT_SECURITY_POLICY).type('html').send(page);
  };
}
