import { type Html, html, type Part } from '@tidemark/html';
import type { Document, Operation } from './openapi.ts';

/** The URL of the guide; the other pages are below it. */
export const DOCS_PATH = '/v1/docs';

/** Chapters before the routes, in order. `page` is the page that has the chapter; empty: the guide. */
export const CHAPTERS = [
  { id: 'start', title: 'Getting started', page: '' },
  { id: 'authentication', title: 'Authentication', page: '' },
  { id: 'limits', title: 'Rate limits', page: '' },
  { id: 'requests', title: 'Retries and lists', page: '' },
  { id: 'errors', title: 'Errors', page: '' },
  { id: 'webhooks', title: 'Receiving webhooks', page: 'receive-webhooks' },
  { id: 'events', title: 'Webhook events', page: 'webhook-events' },
  { id: 'firecrawl', title: 'Clients of Firecrawl', page: 'firecrawl' },
] as const;

export type ChapterId = (typeof CHAPTERS)[number]['id'];

const wordsOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** Returns the last part of the URL of the page that has the routes of a tag. */
export const tagPage = (tag: string): string => wordsOf(tag).replace(/^-|-$/g, '') || 'routes';

/** Returns the URL of a page; an empty name is the guide. */
export const pageHref = (page: string): string => (page === '' ? DOCS_PATH : `${DOCS_PATH}/${page}`);

/** Returns the URL of a chapter, or of an anchor within it. */
export function chapterHref(id: ChapterId, anchor: string = id): string {
  const page = CHAPTERS.find((chapter) => chapter.id === id)?.page ?? '';
  return `${pageHref(page)}#${anchor}`;
}

/** Returns the URL of a route. */
export const operationHref = ({ id, tag }: Operation): string => `${pageHref(tagPage(tag))}#${id}`;

/** Renders a link to a route by its id. */
export function routeLink({ operations }: Document, id: string): Part {
  const found = operations.find((operation) => operation.id === id);
  return found === undefined ? 'the routes of the reference' : linkTo(found);
}

/** Renders a link to a route. */
export const linkTo = (operation: Operation): Html =>
  html`<a href="${operationHref(operation)}"><code>${operation.method.toUpperCase()} ${operation.path}</code></a>`;
