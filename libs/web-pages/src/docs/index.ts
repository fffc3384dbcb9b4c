export { DOCS_STYLE } from './docs-style.ts';
export { type Document, type MappingTable, readDocument } from './openapi.ts';
export { renderLlms, renderLlmsFull } from './render-llms.ts';
export { renderPage } from './render-page.ts';
