import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Project, RunEnvelope } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, makeProject, runToEnd } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

describe('the row of a page', () => {
  test('has the product that the page is about', async () => {
    const { page } = await workspace.writer.capture(web.url('/product'));
    expect(page.product).toEqual({
      price: 149,
      priceHigh: null,
      regularPrice: null,
      currency: 'EUR',
      availability: 'InStock',
      inStock: true,
      sku: 'TC-19',
      gtin: null,
      brand: null,
      source: 'json_ld',
      conflict: [],
    });
  });

  test.each(['/article', '/listing', '/status/404'])('has no product for %s', async (path) => {
    const { page } = await workspace.writer.capture(web.url(path));
    expect(page.product).toBeNull();
  });
});

describe('products of a run', () => {
  const TEXT =
    'The case is turned from solid brass, and its dial is enamelled so that it can be read across a room. '.repeat(4);
  const lamp = (price: string, stock: string) =>
    `<h1>Brass lamp</h1><p class="price"><del>€99.50</del> ${price}</p><p class="stock">${stock}</p><button class="add-to-cart">Add to cart</button><p>SKU: BL-7</p>`;
  const PAGES: Readonly<Record<string, string>> = {
    '/': '<h1>The shop</h1><a href="/lamp">Lamp</a> <a href="/clock">Clock</a>',
    '/lamp': lamp('€89.50', 'In stock'),
    '/clock': lamp('€1,249.00', 'Sold out').replace('BL-7', 'CL-9').replace('€99.50', '€1,499.00'),
  };
  const site = createServer((request, response) => {
    const body = PAGES[request.url ?? '/'];
    const html = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main>${body}<p>${TEXT}</p></main></body></html>`;
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html);
  });
  let project: Project;
  let run: RunEnvelope;

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.5', resolve));
    const bound = site.address();
    const seed = `http://127.0.0.5:${typeof bound === 'object' ? bound?.port : ''}/`;
    project = await makeProject(workspace.writer, { seed, config: {} });
    run = await runToEnd(workspace.writer, project.id);
  }, 120_000);
  afterAll(() => {
    site.closeAllConnections();
    site.close();
  });

  const pathsOf = async (q: string): Promise<string[]> => {
    const { data } = await listPages(workspace.reader, project.id, `?q=${encodeURIComponent(q)}`);
    return data.map(({ url }) => new URL(url).pathname).sort();
  };

  test.each([
    ['product.price:>10', ['/clock', '/lamp']],
    ['product.price:89.5', ['/lamp']],
    ['product.price:50..100.25', ['/lamp']],
    ['product.regularPrice:>1000 product.currency:eur', ['/clock']],
    ['product.inStock:false', ['/clock']],
    ['product.availability:instock', ['/lamp']],
    ['product.sku:bl-7,none', ['/', '/lamp']],
    ['product.source:page -product.sku:CL-9', ['/lamp']],
    ['product.conflict:none product.price:none', ['/']],
  ])('are found by %s', async (q, paths) => {
    expect(await pathsOf(q)).toEqual(paths);
  });

  test('are refused in a query with a price that is no number', async () => {
    const response = await workspace.reader.get(`/projects/${project.id}/pages?q=product.price:cheap`);
    expect(errorOf(response)).toMatchObject({ status: 422, code: 'validation', fields: ['q'] });
  });

  test('are columns of exports', async () => {
    const { text } = await workspace.reader.get(`/projects/${project.id}/export?dataset=pages&run_id=${run.id}`);
    const rows = text
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    const product = rows.find(({ url }) => String(url).endsWith('/lamp'));
    expect(product).toMatchObject({
      productPrice: 89.5,
      productRegularPrice: 99.5,
      productCurrency: 'EUR',
      productAvailability: 'InStock',
      productInStock: true,
      productSku: 'BL-7',
      productSource: 'page',
      productConflict: [],
    });
    expect(rows.find(({ url }) => String(url).endsWith('/'))).toMatchObject({
      productPrice: null,
      productConflict: [],
    });
  });
});
