import { describe, expect, it } from '@jest/globals';
import { docsEntries } from './docs-index.ts';

describe('the index of the documentation', () => {
  it('has the routes with their pages on this origin, without the texts for language models', () => {
    const index = [
      '# Tidemark',
      '',
      '- [Complete documentation as text](https://api.example.com/llms-full.txt): every part below in one file',
      '- [Reference](https://api.example.com/v1/docs): the same as web pages',
      '- [Scrape as text](https://api.example.com/v1/docs/scrape.md): the routes below',
      '- [POST /scrape](https://api.example.com/v1/docs/scrape#startScrape): Capture pages',
      '- [broken](not a URL): nothing',
    ].join('\n');
    expect(docsEntries(index)).toEqual([
      { name: 'Reference', summary: 'the same as web pages', href: '/v1/docs' },
      { name: 'POST /scrape', summary: 'Capture pages', href: '/v1/docs/scrape#startScrape' },
    ]);
  });
});
