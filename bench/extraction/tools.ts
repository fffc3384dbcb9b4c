import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { Flag, measurePage, parsePage, toText } from '@tidemark/page-reader/stages';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { htmlToMarkdown } from 'mdream';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import { proseOf } from '../content/scores.ts';

/** The result of a tool for one page. */
export interface ToolResult {
  readonly text: string;
  readonly markdown: string;
  readonly title?: string | undefined;
  readonly date?: string | undefined;
  readonly author?: string | undefined;
  /** True if the tool warns that its choice may be wrong. */
  readonly isDoubted?: boolean | undefined;
}

/** `omitTitleHeading`: the truth leaves out the title. Only Tidemark has an option for it. */
type Tool = (html: string, url: string, omitTitleHeading: boolean) => ToolResult | Promise<ToolResult>;

interface TurndownLike {
  use(plugin: unknown): unknown;
  turndown(html: string): string;
}

// Neither package has types.
const require = createRequire(import.meta.url);
const Turndown: new (options: object) => TurndownLike = require('turndown');
const { gfm } = require('@joplin/turndown-plugin-gfm');

export function turndownOf(html: string): string {
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.use(gfm);
  return service.turndown(html);
}

/** Returns the visible text. The same code serves every tool's html, so that blocks are separated in the same way. */
function textOf(html: string): string {
  const page = parsePage(html);
  measurePage(page);
  return toText([page.body], Flag.notRendered);
}

/** Parses a document and sets its base URL to the page's. */
function documentOf(html: string, url: string) {
  const { document } = parseHTML(html);
  Object.defineProperty(document, 'baseURI', { value: url, configurable: true });
  Object.defineProperty(document, 'documentURI', { value: url, configurable: true });
  return document;
}

function tidemark(html: string, url: string, omitTitleHeading: boolean): ToolResult {
  const reading = readPage({
    html,
    url,
    content: { ...USUAL_CONTENT, omitTitleHeading },
    outputs: new Set(['markdown', 'text']),
  });
  return {
    text: reading.text ?? '',
    markdown: reading.markdown ?? '',
    // Truths give the page's own title, without the site's name.
    title: reading.head.headline,
    date: reading.head.publishedAt,
    author: reading.head.author,
    isDoubted: reading.evidence.doubts.length > 0,
  };
}

function readability(html: string, url: string): ToolResult {
  const article = new Readability(documentOf(html, url)).parse();
  const content = article?.content ?? '';
  return {
    text: textOf(content),
    markdown: content === '' ? '' : turndownOf(content),
    title: article?.title ?? undefined,
    date: article?.publishedTime ?? undefined,
    author: article?.byline ?? undefined,
  };
}

async function defuddle(html: string, url: string): Promise<ToolResult> {
  const options = { url, useAsync: false };
  const read = await Defuddle(documentOf(html, url), url, { ...options, separateMarkdown: true });
  return {
    text: textOf(read.content),
    markdown: read.contentMarkdown ?? '',
    title: read.title,
    date: read.published,
    author: read.author,
  };
}

function mdream(html: string, url: string): ToolResult {
  const markdown = htmlToMarkdown(html, { origin: new URL(url).origin, minimal: true }).replace(
    /^---\n[\s\S]*?\n---\n/,
    '',
  );
  return { text: proseOf(markdown), markdown };
}

const bodyText = (html: string): ToolResult => {
  const text = textOf(html);
  return { text, markdown: text };
};

/** Extractors that are measured on the page sets. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  tidemark,
  readability,
  defuddle,
  mdream,
  'body text': bodyText,
};

/** Converters that are measured on fragments. */
export const CONVERTERS: Readonly<Record<string, (html: string, url: string) => string>> = {
  'turndown + gfm': (html) => turndownOf(html),
  'node-html-markdown': (html) => NodeHtmlMarkdown.translate(html),
  mdream: (html, url) => htmlToMarkdown(html, { origin: new URL(url).origin }),
};
