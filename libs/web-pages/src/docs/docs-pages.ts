import { type Html, html } from '@tidemark/html';
import { CHAPTERS, type ChapterId, tagPage } from './docs-links.ts';
import type { Document, Operation } from './openapi.ts';
import { renderFirecrawl } from './render-firecrawl.ts';
import { renderGuide } from './render-guide.ts';
import { renderOperation } from './render-operation.ts';
import type { ShownFields } from './render-schema.ts';
import { renderEvents, renderReceiving } from './render-webhooks.ts';

/** One page of the documentation: the guide, or one resource, or a chapter with a page of its own. */
export interface DocsPage {
  /** Last part of its URL; empty for the guide. */
  readonly name: string;
  readonly title: string;
  readonly lead: string;
  /** The routes of the page, in the order of the document. */
  readonly operations: readonly Operation[];
  readonly content: () => readonly Html[];
}

interface Chapter {
  readonly lead: string;
  readonly content: (document: Document) => Html;
}

/** Chapters with a page of their own. */
const PAGE_CHAPTERS: Partial<Record<ChapterId, Chapter>> = {
  webhooks: {
    lead: 'How a receiver is configured, how it verifies messages, and when they are sent again.',
    content: renderReceiving,
  },
  events: { lead: 'Every event with its payload.', content: renderEvents },
  firecrawl: {
    lead: 'What requests of clients of Firecrawl become in this service.',
    content: renderFirecrawl,
  },
};

/** Returns whether the document has what a chapter describes. */
const hasChapter = (id: ChapterId, { events, firecrawl }: Document): boolean => {
  if (id === 'webhooks' || id === 'events') return events.length > 0;
  return id !== 'firecrawl' || firecrawl.length > 0;
};

/** Returns the pages in the order of the contents: the guide, chapters with a page of their own, one page per tag. */
export function pagesOf(document: Document): readonly DocsPage[] {
  const chapters = CHAPTERS.flatMap(({ id, title, page: name }): DocsPage[] => {
    const chapter = PAGE_CHAPTERS[id];
    if (chapter === undefined || !hasChapter(id, document)) return [];
    return [{ name, title, lead: chapter.lead, operations: [], content: () => [chapter.content(document)] }];
  });
  const tags = [...Map.groupBy(document.operations, ({ tag }) => tag)].map(([tag, operations]): DocsPage => {
    const content = () => {
      const shown: ShownFields = new Map();
      return operations.map((operation) => renderOperation(operation, document, shown));
    };
    return { name: tagPage(tag), title: tag, lead: document.tags[tag] ?? '', operations, content };
  });
  const guide: DocsPage = {
    name: '',
    title: 'Guide',
    lead: document.description,
    operations: [],
    content: () => [html`${renderGuide(document)}`],
  };
  return [guide, ...chapters, ...tags];
}
