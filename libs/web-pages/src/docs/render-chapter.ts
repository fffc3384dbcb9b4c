import { type Html, html, type Part } from '@tidemark/html';
import type { Document } from './openapi.ts';

/** Chapters before the routes, in order. */
export const CHAPTERS = [
  { id: 'start', title: 'Getting started' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'limits', title: 'Rate limits' },
  { id: 'requests', title: 'Retries and lists' },
  { id: 'errors', title: 'Errors' },
  { id: 'webhooks', title: 'Webhooks' },
  { id: 'events', title: 'Webhook events' },
  { id: 'firecrawl', title: 'Clients of Firecrawl' },
] as const;

/** Renders one chapter: text next to examples. */
export const chapter = (id: (typeof CHAPTERS)[number]['id'], about: Part, example?: Part): Html => {
  const title = CHAPTERS.find((one) => one.id === id)?.title;
  return html`<section class="route chapter" id="${id}"><div class="about"><h2><a href="#${id}">${title}</a></h2>${about}</div>${
    example === undefined ? undefined : html`<div class="example">${example}</div>`
  }</section>`;
};

/** Renders a link to a route. */
export function routeLink({ operations }: Document, id: string): Part {
  const found = operations.find((operation) => operation.id === id);
  return found === undefined
    ? 'the routes below'
    : html`<a href="#${id}"><code>${found.method.toUpperCase()} ${found.path}</code></a>`;
}
