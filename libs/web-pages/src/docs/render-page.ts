import { type Html, html, type Part } from '@tidemark/html';
import { CHAPTERS, DOCS_PATH, operationHref, pageHref } from './docs-links.ts';
import { type DocsPage, pagesOf } from './docs-pages.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { Document } from './openapi.ts';
import { phrase } from './prose.ts';
import { methodBadge } from './render-operation.ts';
import type { SearchResults } from './search-docs.ts';

const WAVES = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M6 13c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0M6 20c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0"/></svg>`;
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%230b7285%22/%3E%3Cpath d=%22M6 13c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0M6 20c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%222.6%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

/** The last part of the URL of the search. */
export const SEARCH_PAGE = 'search';

/** Renders a page. The guide lists every route, so that `/v1/docs#startScrape` leads to the page of the route. */
export function renderPage(document: Document, page: DocsPage): string {
  const hero =
    page.name === ''
      ? html`<div class="hero"><h1>${document.title} API</h1><p class="lead">${phrase(document.description)}</p>
<p class="base"><span>Base URL</span><code>${document.serverUrl}</code></p></div>`
      : html`<div class="hero"><h1>${page.title}</h1><p class="lead">${phrase(page.lead)}</p></div>`;
  const content = [hero, ...page.content(), ...(page.name === '' ? [renderReference(document)] : [])];
  return frame({ document, title: page.name === '' ? '' : page.title, current: page, query: '', content });
}

/** Renders the results of a search. */
export function renderSearch(document: Document, { query, found, total }: SearchResults): string {
  const more = total > found.length ? `, the first ${found.length} are shown` : '';
  const content = html`<div class="hero"><h1>Search</h1>${
    query === ''
      ? html`<p class="lead">Routes, fields, events, error codes.</p>`
      : html`<p class="lead">${total === 0 ? 'Nothing matches' : `${total} ${total === 1 ? 'match' : 'matches'}`} for “${query}”${more}.</p>`
  }</div><ol class="found">${found.map(
    ({ href, title, where, summary }) =>
      html`<li><h2><a href="${href}">${title}</a></h2><p class="where-found"><code>${where}</code></p><p>${phrase(summary)}</p></li>`,
  )}</ol>`;
  return frame({ document, title: 'Search', current: undefined, query, content });
}

interface Frame {
  readonly document: Document;
  /** Empty: the guide. */
  readonly title: string;
  readonly current: DocsPage | undefined;
  readonly query: string;
  readonly content: Part;
}

/** Renders what every page has. It has no script. The contents are last on phones and on the left on wide screens. */
function frame({ document, title, current, query, content }: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === '' ? '' : `${title}: `}${document.title} API reference</title>
<meta name="description" content="${current === undefined ? document.description : current.lead}">
<link rel="icon" href="${ICON}">
<style>${DOCS_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="${DOCS_PATH}">${WAVES}<span>${document.title}</span></a><span class="edition">API ${document.version}</span><form class="search" role="search" action="${pageHref(SEARCH_PAGE)}"><input type="search" name="q" value="${query}" maxlength="200" placeholder="Search" aria-label="Search the documentation"></form><nav class="shortcuts" aria-label="Shortcuts"><a class="to-contents" href="#contents">Contents</a><a href="/v1/openapi.json">OpenAPI</a></nav></header>
<div class="layout" id="top">
<main id="content">
${content}
<footer><p>Rendered from <a href="/v1/openapi.json">/v1/openapi.json</a>, an OpenAPI 3.1 document for client generators.${
    current === undefined || current.operations.length === 0
      ? undefined
      : html` This page as text: <a href="${pageHref(current.name)}.md">${pageHref(current.name)}.md</a>.`
  }</p></footer>
</main>
${renderContents(document, current)}
</div>
</body>
</html>
`.text;
}

/** Renders the contents: every page, with the chapters or routes of the current one. */
const renderContents = (document: Document, current: DocsPage | undefined): Html =>
  html`<nav class="contents" id="contents" aria-label="Contents">${pagesOf(document).map((page) => {
    const isCurrent = page.name === current?.name;
    return html`<p><a href="${pageHref(page.name)}"${isCurrent ? html` aria-current="page"` : undefined}>${page.title}</a></p>${
      isCurrent ? renderParts(page) : undefined
    }`;
  })}</nav>`;

/** Renders the chapters of the guide, or the routes of another page. */
function renderParts({ name, operations }: DocsPage): Html | undefined {
  const chapters = name === '' ? CHAPTERS.filter(({ page }) => page === '') : [];
  if (chapters.length + operations.length === 0) return undefined;
  return html`<ul>${chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}${operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}" title="${summary}">${methodBadge(method)}<code>${path}</code></a></li>`,
  )}</ul>`;
}

/** Renders the list of all routes, each with the anchor of the route, as links to the pages. */
const renderReference = (document: Document): Html =>
  html`<section class="reference" id="reference"><h2><a href="#reference">Reference</a></h2>${pagesOf(document)
    .filter(({ name }) => name !== '')
    .map(
      ({ name, title, lead, operations }) =>
        html`<section id="tag-${name}"><h3><a href="${pageHref(name)}">${title}</a></h3><p>${phrase(lead)}</p>${
          operations.length === 0
            ? undefined
            : html`<ul>${operations.map(
                (operation) =>
                  html`<li id="${operation.id}"><a href="${operationHref(operation)}">${methodBadge(operation.method)}<code>${operation.path}</code></a><span>${operation.summary}</span></li>`,
              )}</ul>`
        }</section>`,
    )}</section>`;
