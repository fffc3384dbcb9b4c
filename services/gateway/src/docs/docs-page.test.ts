import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { mappingTables } from '@tidemark/firecrawl';
import { readDocument, renderLlms, renderLlmsFull } from '@tidemark/web-pages/docs';
import express from 'express';
import { llmsDocument, mountDocs } from './docs-page.ts';

const read = () => readDocument(buildOpenApi(Object.values(routes), 'https://api.example/v1'), mappingTables());

let server: Server;
let url = '';

beforeAll(async () => {
  const app = express();
  mountDocs(app, read);
  app.get('/llms.txt', llmsDocument(read, renderLlms));
  app.get('/llms-full.txt', llmsDocument(read, renderLlmsFull));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => void server.close());

describe('the documentation', () => {
  it.each(['', '/scrape', '/search?q=crawl'])(
    'is sent with a policy that allows its style sheet by its hash, and no script: %s',
    async (page) => {
      const response = await fetch(`${url}/v1/docs${page}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      const style = /<style>([\s\S]*?)<\/style>/.exec(await response.text())?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(style).toContain('.contents');
      expect(policy.split('; ').slice(0, 3)).toEqual([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        'img-src data:',
      ]);
      expect(policy).not.toMatch(/unsafe|script-src/);
    },
  );

  it('has a page and a text per resource, a search, and 404 for other names', async () => {
    const page = await fetch(`${url}/v1/docs/saved-logins`);
    expect(await page.text()).toContain('<article class="route" id="listLogins">');
    const text = await fetch(`${url}/v1/docs/saved-logins.md`);
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await text.text()).toContain('### GET /v1/logins');
    const found = await (await fetch(`${url}/v1/docs/search?q=saved+login`)).text();
    expect(found).toContain('href="/v1/docs/saved-logins#listLogins"');
    expect((await fetch(`${url}/v1/docs/search?q=a&q=b`)).status).toBe(200);
    for (const name of ['nothing', 'nothing.md', 'firecrawl.md', '__proto__', '.md'])
      expect([name, (await fetch(`${url}/v1/docs/${name}`)).status]).toEqual([name, 404]);
  });

  it('links every part from the index for language models, and each link has its target', async () => {
    const index = await (await fetch(`${url}/llms.txt`)).text();
    const links = [...index.matchAll(/\(https:\/\/api\.example(\/v1\/docs\/[^)]+)\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => path.endsWith('.md')).length).toBeGreaterThan(20);
    const pages = [...new Set(links.map((path) => path.split('#')[0] ?? ''))];
    for (const path of pages) expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  });

  it('states what every field, format, action and part of Firecrawl is here', async () => {
    const page = await (await fetch(`${url}/v1/docs/firecrawl`)).text();
    const text = await (await fetch(`${url}/llms-full.txt`)).text();
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
});
