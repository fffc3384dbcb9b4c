import { createHash } from 'node:crypto';
import { DOCS_STYLE, type Document, renderPage } from '@tidemark/web-pages/docs';
import type { RequestHandler } from 'express';
import { serveStatic } from '../http/static-document.ts';

/** The page has no scripts and loads nothing: one inline style sheet, allowed by its hash, and an inline icon. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE.text).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the documentation as text for language models: an index, or everything. */
export const llmsDocument = (read: () => Document, render: (document: Document) => string): RequestHandler =>
  serveStatic({ contentType: 'text/plain; charset=utf-8', render: () => render(read()) });

/** Serves the documentation of every route. Its commands use the server URL of the document. */
export const docsPage = (read: () => Document): RequestHandler =>
  serveStatic({
    contentType: 'text/html; charset=utf-8',
    render: () => renderPage(read()),
    headers: { 'content-security-policy': CONTENT_SECURITY_POLICY },
  });
