import { expect, it } from '@jest/globals';
import { mappingTables } from '@tidemark/firecrawl';
import { firecrawlText, renderFirecrawl } from './render-firecrawl.ts';

const SERVER_URL = 'https://api.example/v1';

it('the documentation states what every field, format, action and part of Firecrawl is here', () => {
  const page = renderFirecrawl(SERVER_URL).text;
  const text = firecrawlText(SERVER_URL);
  const names = mappingTables().flatMap(({ rows }) => rows.map(([name]) => name));
  expect(names).toEqual(
    expect.arrayContaining(['waitFor', 'parsePDF (v1)', 'rawHtml', 'write', 'appendToId', 'search']),
  );
  for (const name of names) {
    expect(page).toContain(`<code>${name}</code>`);
    expect(text).toContain(`- \`${name}\`: `);
  }
  expect(page).toContain('https://api.example/firecrawl');
});
