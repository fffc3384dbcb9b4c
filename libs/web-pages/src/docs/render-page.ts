import { type Html, html } from '@tidemark/html';
import { DOCS_STYLE } from './docs-style.ts';
import type { Document, Operation } from './openapi.ts';
import { phrase } from './prose.ts';
import { CHAPTERS } from './render-chapter.ts';
import { renderGuide } from './render-guide.ts';
import { methodBadge, renderOperation, tagAnchor } from './render-operation.ts';

const WAVES = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M6 13c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0M6 20c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0"/></svg>`;
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%230b7285%22/%3E%3Cpath d=%22M6 13c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0M6 20c3.3-3.4 6.7-3.4 10 0s6.7 3.4 10 0%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%222.6%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

/** Renders the whole page: one document without scripts. The table of contents is last on phones and on the left on wide screens. */
export function renderPage(document: Document): string {
  const tags = Map.groupBy(document.operations, ({ tag }) => tag);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.title} API reference</title>
<meta name="description" content="${document.description}">
<link rel="icon" href="${ICON}">
<style>${DOCS_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="brand" href="#top">${WAVES}<span>${document.title}</span></a><span class="edition">API ${document.version}</span><nav class="shortcuts" aria-label="Shortcuts"><a class="to-contents" href="#contents">Contents</a><a href="/v1/openapi.json">OpenAPI</a></nav></header>
<div class="layout" id="top">
<main id="content">
<div class="hero"><h1>${document.title} API</h1><p class="lead">${phrase(document.description)}</p>
<p class="base"><span>Base URL</span><code>${document.serverUrl}</code></p></div>
${renderGuide(document)}
${[...tags].map(([tag, operations]) => renderTag(tag, operations, document))}
<footer><p>Rendered from <a href="/v1/openapi.json">/v1/openapi.json</a>, an OpenAPI 3.1 document for client generators.</p></footer>
</main>
${renderContents(tags)}
</div>
</body>
</html>
`.text;
}

const renderTag = (tag: string, operations: readonly Operation[], document: Document): Html =>
  html`<section class="tag" id="${tagAnchor(tag)}"><h2><a href="#${tagAnchor(tag)}">${tag}</a></h2>
<p class="lead">${document.tags[tag]}</p>
${operations.map((operation) => renderOperation(operation, document))}</section>`;

const renderContents = (tags: ReadonlyMap<string, readonly Operation[]>): Html =>
  html`<nav class="contents" id="contents" aria-label="Contents">
<p>Guide</p><ul>${CHAPTERS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${[...tags].map(
  ([tag, operations]) =>
    html`<p><a href="#${tagAnchor(tag)}">${tag}</a></p><ul>${operations.map(
      ({ id, method, path, summary }) =>
        html`<li><a href="#${id}" title="${summary}">${methodBadge(method)}<code>${path}</code></a></li>`,
    )}</ul>`,
)}
</nav>`;
