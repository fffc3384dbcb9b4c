import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { classify } from '../domain/verdict/classify.ts';
import { type OutputFormat, type PageReading, readPage, USUAL_CONTENT } from './read-page.ts';

const PAGES = join(import.meta.dirname, '../../test/pages');
const CORPORA = join(import.meta.dirname, '../../../../../shared/corpora');
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

describe('labelled markdown cases', () => {
  const path = join(CORPORA, 'markdown/cases.json');
  const found = existsSync(path);
  const title = found ? 'at least 42 of 45 hold' : 'at least 42 of 45 hold (SKIPPED: ../shared/corpora is absent)';
  (found ? it : it.skip)(title, () => {
    const cases: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = Array.isArray(cases) ? cases : [];
    const prose =
      'This is a paragraph of plain prose that stands around the case, long enough to be read as the content of the page.';
    const failed = entries.filter((entry) => {
      const base: unknown = entry.base;
      const html = `<main><article><p>${prose}</p>${entry.html}<p>${prose}</p></article></main>`;
      const markdown =
        readPage({
          html,
          url: `https://site.example${typeof base === 'string' ? base : '/docs/p.html'}`,
          content: USUAL_CONTENT,
          outputs: ALL,
        }).markdown ?? '';
      const contains = (part: unknown): boolean => markdown.includes(String(part));
      const matches = (pattern: unknown): boolean => new RegExp(String(pattern), 'm').test(markdown);
      return !(
        entry.expected_contains.every(contains) &&
        entry.expected_match.every(matches) &&
        !entry.expected_not.some(contains)
      );
    });
    expect(failed.length).toBeLessThanOrEqual(3);
  });
});
