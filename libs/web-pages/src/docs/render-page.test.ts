import { describe, expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { CODES } from '@tidemark/errors';
import { delayText, EVENT_NAMES, EVENTS, RETRY_DELAYS_MINUTES, WEBHOOK_HEADERS } from '@tidemark/webhook-events';
import { z } from 'zod';
import { readDocument } from './openapi.ts';
import { renderPage } from './render-page.ts';
import { WEBHOOK_SAMPLES } from './webhook-samples.ts';

const SERVER_URL = 'https://api.example/v1';

const page = renderPage(readDocument(buildOpenApi(Object.values(routes), SERVER_URL)));

describe('the page of the documentation', () => {
  it.each(Object.values(routes))(
    'renders $method $path with its scope and a command for the documented server',
    (route) => {
      const start = page.indexOf(`<article class="route" id="${route.id}">`);
      const article = page.slice(start, page.indexOf('</article>', start));
      expect(start).toBeGreaterThan(0);
      expect(article).toContain(route.summary);
      expect(article).toContain(`<span class="method ${route.method}">`);
      expect(article).toContain(`class="scope ${route.scope}"`);
      expect(article).toContain(`${SERVER_URL}${route.path.split('{')[0]}`);
      expect(page).toContain(`<a href="#${route.id}"`);
    },
  );

  const withBody = Object.values(routes).filter(
    ({ body }) => body instanceof z.ZodObject && Object.keys(body.shape).length > 0,
  );
  it.each(withBody)('lists every body field of $method $path', ({ id, body }) => {
    const start = page.indexOf(`<article class="route" id="${id}">`);
    const article = page.slice(start, page.indexOf('</article>', start));
    const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    expect(fields.filter((name) => !article.includes(`<code class="name">${name}</code>`))).toEqual([]);
  });

  it.each(Object.entries(CODES))('explains the error code %s', (code, { http }) => {
    const row = page.slice(page.indexOf(`<tr id="error-${code}">`)).split('</tr>')[0];
    expect(row).toMatch(new RegExp(`<code>${code}</code></td><td>${http}</td><td>.{10,}</td>`));
  });

  it('has a target for every internal link', () => {
    const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(anchors.filter((anchor) => !page.includes(`id="${anchor}"`))).toEqual([]);
  });
});

/** Returns the text of a part of the page, without markup. */
function textOf(start: string, end: string): string {
  const from = page.indexOf(start);
  const part = page.slice(from, page.indexOf(end, from));
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return part.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}

describe('the guide to webhooks of the documentation', () => {
  it('has the headers of a message, every retry delay and the verification in three languages', () => {
    const guide = textOf('<section class="route chapter" id="webhooks">', '</section>');
    for (const name of Object.keys(WEBHOOK_HEADERS)) expect(guide).toContain(name);
    expect(guide).toContain(RETRY_DELAYS_MINUTES.map(delayText).join(''));
    expect(WEBHOOK_SAMPLES).toHaveLength(3);
    for (const { code } of WEBHOOK_SAMPLES) expect(guide).toContain(code);
  });

  it.each(EVENT_NAMES)('has %s with its description and its whole payload', (name) => {
    const start = `<article class="route event" id="event-${name.replaceAll('.', '-')}">`;
    const article = textOf(start, '</article>');
    expect(article).toContain(EVENTS[name].description.replaceAll('`', ''));
    expect(article).toContain(`"event": "${name}"`);
    expect(article).toContain(JSON.stringify(EVENTS[name].example, null, 2).split('\n').slice(1, -1).join('\n  '));
  });
});

describe('the commands of the documentation', () => {
  it.each(Object.values(routes).filter(({ path }) => path.includes('{')))(
    'have an id of the right prefix in the path of $method $path',
    ({ id, path, params }) => {
      const article = textOf(`<article class="route" id="${id}">`, '</article>');
      const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => {
        const shape: Readonly<Record<string, z.ZodType>> = params.shape;
        const number = /such as (\d+)/.exec(shape[name]?.description ?? '')?.[1];
        if (number !== undefined) return number;
        return `${/such as ([a-z]+)_/.exec(shape[name]?.description ?? '')?.[1]}_[0-9a-z]{26}`;
      });
      expect(article).toMatch(new RegExp(`${SERVER_URL}${pattern}['?\\s]`));
    },
  );
});

describe('the security of the documentation', () => {
  it('has no scripts and no external resources', () => {
    expect(page).not.toMatch(/<script|\sstyle=|\son\w+=|<link rel="stylesheet"|@import|url\(/);
  });

  it('escapes hostile text in every part of a document', () => {
    const hostile = `"'><script>alert(1)</script>&lt;\u0000\${x}`;
    const schema = {
      type: 'object',
      properties: {
        [hostile]: { type: hostile, description: hostile, enum: [hostile], default: hostile, pattern: hostile },
      },
      required: [hostile],
    };
    const operation = {
      operationId: hostile,
      tags: [hostile],
      summary: hostile,
      description: `${hostile}\n\n\`${hostile}\``,
      'x-scope': hostile,
      parameters: [{ name: hostile, in: 'query', description: hostile, schema: { $ref: hostile, format: hostile } }],
      requestBody: { content: { 'application/json': { schema, example: { [hostile]: hostile } } } },
      responses: { [`2${hostile}`]: { content: { 'application/json': { schema } } } },
    };
    const text = renderPage(
      readDocument({
        info: { title: hostile, version: hostile, description: hostile },
        servers: [{ url: hostile }],
        paths: { [hostile]: { post: operation } },
        components: { schemas: { [hostile]: schema } },
      }),
    );
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;');
    expect(text).not.toContain('<script');
    // No hostile value opens or closes an attribute.
    expect(text.match(/"'>/g)).toBeNull();
  });

  it('quotes a hostile server URL for the shell', () => {
    const document = readDocument(buildOpenApi(Object.values(routes), "http://x';rm -rf ~;'/v1"));
    expect(renderPage(document)).toContain('curl</b> &#39;http://x&#39;\\&#39;&#39;;rm -rf ~;&#39;\\&#39;&#39;/v1/me');
  });

  it('renders a document with circular references and an empty document', () => {
    const loop = { $ref: '#/components/schemas/Loop' };
    const tree = {
      type: 'object',
      properties: { inside: { $ref: '#/components/schemas/Tree' } },
      required: ['inside'],
    };
    const answer = (schema: object) => ({ content: { 'application/json': { schema } } });
    const paths = {
      '/loop': { get: { operationId: 'loop', responses: { 200: answer(loop) } } },
      '/tree': { get: { operationId: 'tree', responses: { 200: answer(tree) } } },
    };
    expect(renderPage(readDocument({ paths, components: { schemas: { Loop: loop, Tree: tree } } }))).toContain(
      'id="tree"',
    );
    expect(renderPage(readDocument({}))).toContain('<main');
  });
});
