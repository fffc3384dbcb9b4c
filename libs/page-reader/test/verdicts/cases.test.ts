import { describe, expect, it } from '@jest/globals';
import { verdictOfPage } from './page-verdict.ts';
import { BAD_PAGES, GOOD_PAGES, type VerdictCase } from './verdict-cases.ts';

function found({ html, response }: VerdictCase): string {
  const { verdict, errorCode } = verdictOfPage(html, response);
  return verdict === 'blocked' ? errorCode : 'ok';
}

describe.each(BAD_PAGES)('a page that is a %s', (_, cases) => {
  it.each(cases.map((page) => [page.name, page] as const))('is refused for what it is: %s', (_name, page) => {
    expect(page.accept).toContain(found(page));
  });
});

describe('a page that resembles a refusal', () => {
  it.each(GOOD_PAGES.map((page) => [page.name, page] as const))('is kept: %s', (_name, page) => {
    expect(page.accept).toContain(found(page));
  });
});
