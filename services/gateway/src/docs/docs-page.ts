import { createHash } from 'node:crypto';
import {
  DOCS_STYLE,
  type DocsPage,
  type Document,
  makeSearchDocs,
  pagesOf,
  renderLlmsPage,
  renderPage,
  renderSearch,
  SEARCH_PAGE,
} from '@tidemark/web-pages/docs';
import type { Express, RequestHandler } from 'express';
import { type StaticDocument, serveStatic } from '../http/static-document.ts';

/** The pages have no scripts and load nothing: one inline style sheet, allowed by its hash, an inline icon, and a form that opens the search. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE.text).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HTML = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY };
const TEXT = 'text/plain; charset=utf-8';

/** Serves the documentation as text for language models: an index, or everything. */
export const llmsDocument = (read: () => Document, render: (document: Document) => string): RequestHandler =>
  serveStatic({ contentType: TEXT, render: () => render(read()) });

/**
 * Serves the documentation: the guide at `/v1/docs`, a page per resource below it, the text of each as `<page>.md`, and the search. Each page is
 * rendered at its first request. Its commands use the server URL of the document, which is read once.
 */
export function mountDocs(app: Express, read: () => Document): void {
  const opened = once(() => openDocs(read()));
  app.get('/v1/docs', (request, response, next) => opened().pages.get('')?.(request, response, next));
  app.get(`/v1/docs/${SEARCH_PAGE}`, (request, response) => {
    const { q } = request.query;
    response.set(HTML).send(opened().search(typeof q === 'string' ? q : ''));
  });
  app.get('/v1/docs/:page', (request, response, next) => {
    const page = opened().pages.get(request.params.page);
    return page === undefined ? next() : page(request, response, next);
  });
}

interface OpenedDocs {
  /** By the last part of the URL. */
  readonly pages: ReadonlyMap<string, RequestHandler>;
  /** Renders the results of a query. */
  readonly search: (query: string) => string;
}

function openDocs(document: Document): OpenedDocs {
  const pages = pagesOf(document).flatMap((page): [string, RequestHandler][] => {
    const text = textOf(document, page);
    return [
      [page.name, serveStatic(asPage(document, page))],
      ...(text === undefined ? [] : ([[`${page.name}.md`, serveStatic(text)]] satisfies [string, RequestHandler][])),
    ];
  });
  const search = once(() => makeSearchDocs(document));
  return { pages: new Map(pages), search: (query) => renderSearch(document, search()(query)) };
}

const asPage = (document: Document, page: DocsPage): StaticDocument => ({
  contentType: HTML['content-type'],
  render: () => renderPage(document, page),
  headers: HTML,
});

/** Returns the text of a page; undefined for a page without routes. */
const textOf = (document: Document, page: DocsPage): StaticDocument | undefined =>
  page.operations.length === 0 ? undefined : { contentType: TEXT, render: () => renderLlmsPage(document, page) };

/** Calls a function at the first use, and returns its result then and later. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
