import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SampleSite, startSampleSite } from './server.ts';

let site: SampleSite;
beforeAll(async () => {
  site = await startSampleSite(0);
});
afterAll(() => site.close());

const pagesOf = async (): Promise<string[]> => {
  const sitemap = await (await fetch(`${site.url}/sitemap.xml`)).text();
  return [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].flatMap((match) => match[1] ?? []);
};

describe('the sample site', () => {
  it.each([1, 2] as const)(
    'edition %i serves every page its sitemap declares, and every link on them leads somewhere',
    async (edition) => {
      site.show(edition);
      const pages = await pagesOf();
      expect(pages.length).toBeGreaterThanOrEqual(12);
      for (const page of pages) {
        const response = await fetch(page);
        expect([page, response.status]).toEqual([page, 200]);
        const links = [...(await response.text()).matchAll(/href="(\/[^"#]*)/g)].map(
          (match) => `${site.url}${match[1]}`,
        );
        const responses = await Promise.all(
          [...new Set(links)].map(async (link) => [link, (await fetch(link)).status]),
        );
        expect(responses.filter(([, status]) => status !== 200)).toEqual([]);
      }
    },
  );

  it('second edition has one page more, one page fewer and another price', async () => {
    site.show(1);
    const before = await pagesOf();
    const priceBefore = await (await fetch(`${site.url}/pricing`)).text();
    site.show(2);
    const after = await pagesOf();
    expect(after.filter((page) => !before.includes(page))).toEqual([`${site.url}/blog/heron-mini-at-sea`]);
    expect(before.filter((page) => !after.includes(page))).toEqual([`${site.url}/products/kestrel-logger`]);
    expect((await fetch(`${site.url}/products/kestrel-logger`)).status).toBe(404);
    expect(await (await fetch(`${site.url}/pricing`)).text()).not.toBe(priceBefore);
  });

  it('answers 304 to one who has the page already', async () => {
    const first = await fetch(`${site.url}/about`);
    const etag = first.headers.get('etag') ?? '';
    expect((await fetch(`${site.url}/about`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('serves nothing outside its own folder', async () => {
    for (const path of ['/..%2fserver.ts', '/%2e%2e/%2e%2e/migrate.ts', '/..%2f..%2f..%2fpackage.json']) {
      expect((await fetch(`${site.url}${path}`)).status).toBe(404);
    }
  });
});
