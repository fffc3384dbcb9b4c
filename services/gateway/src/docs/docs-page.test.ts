import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { mappingTables } from '@tidemark/firecrawl';
import { readDocument, renderLlmsFull } from '@tidemark/web-pages/docs';
import express from 'express';
import { docsPage, llmsDocument } from './docs-page.ts';

const read = () => readDocument(buildOpenApi(Object.values(routes), 'https://api.example/v1'), mappingTables());

let server: Server;
let url = '';

beforeAll(async () => {
  const app = express();
  app.get('/v1/docs', docsPage(read));
  app.get('/llms-full.txt', llmsDocument(read, renderLlmsFull));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => void server.close());

describe('the documentation', () => {
  it('is sent with a policy that allows its style sheet by its hash, and nothing else', async () => {
    const answer = await fetch(`${url}/v1/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(await answer.text())?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(style).toContain('.contents');
    expect(policy.split('; ').slice(0, 3)).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      'img-src data:',
    ]);
    expect(policy).not.toMatch(/unsafe|script-src/);
  });

  it('states what every field, format, action and part of Firecrawl is here', async () => {
    const page = await (await fetch(`${url}/v1/docs`)).text();
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
