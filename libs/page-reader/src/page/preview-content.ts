import type { ContentOptions, RemovedPart } from '../options/content-options.ts';
import { readPage } from './read-page.ts';

/** The effect of content options on one page. */
export interface ContentPreview {
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly markdown: string;
  readonly text: string;
  readonly words: number;
  /** Share of the page's visible words that was kept, 0 to 1. */
  readonly keptShare: number;
  readonly removed: readonly RemovedPart[];
  readonly notes: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a stored page with the given options and lists what was kept and what was omitted. Pure. */
export function previewContent(
  html: string,
  url: string,
  contentType: string | undefined,
  content: ContentOptions,
): ContentPreview {
  const reading = readPage({
    html,
    url,
    content: { ...content, explain: true },
    outputs: new Set(['markdown', 'text']),
    detailedRemovals: true,
    ...(contentType === undefined ? {} : { contentType }),
  });
  const { title, language, words, pageWords } = reading;
  return {
    title,
    language,
    markdown: reading.markdown ?? '',
    text: reading.text ?? '',
    words,
    keptShare: pageWords === 0 ? (words > 0 ? 1 : 0) : Math.min(1, words / pageWords),
    removed: reading.removed ?? [],
    notes: reading.notes,
    fields: reading.fields ?? {},
  };
}
