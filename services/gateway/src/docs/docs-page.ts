import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { serveStatic } from '../http/static-document.ts';
import { STYLE } from './docs.css.ts';
import { readDocument } from './openapi.ts';
import type { renderLlms } from './render-llms.ts';
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

/** Serves the documentation as text for language models: an index, or everything. */
export const llmsDocument = (openApi: () => Record<string, unknown>, render: typeof renderLlms): RequestHandler =>
  serveStatic({ contentType: 'text/plain; charset=utf-8', render: () => render(readDocument(openApi())) });

/** Serves the documentation of every route, rendered from the OpenAPI document. Its commands use the server URL of that document. */
export const docsPage = (openApi: () => Record<string, unknown>): RequestHandler =>
  serveStatic({
    contentType: 'text/html; charset=utf-8',
    render: () => renderPage(readDocument(openApi())),
    headers: { 'content-security-policy': CONTENT_SECURITY_POLICY },
  });
