import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { MARKDOWN_CASES } from '../../test/markdown-cases.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { classify } from '../verdict/classify.ts';
import { type OutputFormat, type PageReading, readPage } from './read-page.ts';

const PAGES = join(import.meta.dirname, '../../test/pages');
const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml', 'links']);
const url = 'https://site.example/docs/page.html';
const read = (html: string): PageReading => readPage({ html, url, content: USUAL_CONTENT, outputs: ALL });

describe('whole pages', () => {
  it.each(readdirSync(PAGES))('%s reads as expected', (name) => {
    const file = (part: string): string => readFileSync(join(PAGES, name, part), 'utf8');
    const { markdown, title, language, head, evidence } = read(file('source.html'));
    expect(markdown).toBe(file('expected.md').trim());
    const classified = classify({
      httpStatus: 200,
      headers: {},
      evidence,
      requestedUrl: url,
      landedUrl: url,
      rendered: false,
      minWords: 0,
    });
    const { verdict, errorCode } = classified;
    const { author, publishedAt } = head;
    expect({ title, language, author, publishedAt, verdict, errorCode }).toMatchObject(
      JSON.parse(file('expected.json')),
    );
  });
});

describe('the markdown of a fragment', () => {
  const PROSE =
    'This is a paragraph of plain prose around the case, long enough to be read as the content of the page.';

  it.each(rowsOf(MARKDOWN_CASES))('follows the rule that %s: %j', (_rule, [html, expected]) => {
    const { markdown } = read(`<main><article><p>${PROSE}</p>${html}<p>${PROSE}</p></article></main>`);
    expect(markdown).toBe(`${PROSE}\n\n${expected}\n\n${PROSE}`);
  });
});
