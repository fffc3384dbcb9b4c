import { afterAll, expect, test } from '@jest/globals';
import { routes } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { operationsOf, readDocument } from './document.ts';

/** Most bytes of the first load of a page, uncompressed. */
const PAGE_BYTES = 150 * 1_024;

const fleet = sharedFleet();
afterAll(() => fleet.close());

const read = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(new URL(path, fleet.url));
  return { status: response.status, text: await response.text() };
};

/** Returns the URLs on this origin that a text links to and that match a pattern, without fragments. */
const linksIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, href = '']) => new URL(href, fleet.url).pathname)),
];

test('every page of the documentation that the guide links to loads with at most 150 KB, and no file besides', async () => {
  const guide = await read('/v1/docs');
  const pages = ['/v1/docs', ...linksIn(guide.text, /href="(\/v1\/docs[^"]*)"/g)].filter(
    (path) => !path.endsWith('.md'),
  );
  expect(pages.length).toBeGreaterThan(20);
  for (const path of pages) {
    const { status, text } = await read(path);
    expect([path, status]).toEqual([path, 200]);
    expect([path, Buffer.byteLength(text) <= PAGE_BYTES]).toEqual([path, true]);
    expect([path, ...text.matchAll(/<(?:script|img|iframe)[^>]* src="|<link[^>]* rel="stylesheet"/g)]).toEqual([path]);
  }
});

test('the OpenAPI document is one file with every route, and llms.txt links to a text of each part', async () => {
  expect(operationsOf(await readDocument(fleet))).toHaveLength(Object.keys(routes).length);
  const parts = linksIn((await read('/llms.txt')).text, /\]\(([^)\s]+\.md)\)/g);
  expect(parts.length).toBeGreaterThan(20);
  for (const path of parts) expect([path, (await read(path)).status]).toEqual([path, 200]);
});
