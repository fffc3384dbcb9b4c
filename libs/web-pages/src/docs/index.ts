export { type DocsPage, pagesOf } from './docs-pages.ts';
export { DOCS_STYLE } from './docs-style.ts';
export { type Document, type MappingTable, readDocument } from './openapi.ts';
export { renderLlms, renderLlmsFull, renderLlmsPage } from './render-llms.ts';
export { renderPage, renderSearch, SEARCH_PAGE } from './render-page.ts';
export { makeSearchDocs, type SearchDocs } from './search-docs.ts';
