import { expect, it } from '@jest/globals';
import { evaluateLinks } from './evaluate-links.ts';

const links = Array.from({ length: 100 }, (_, at) => `https://example.com/${at}`);
const page = { key: Buffer.from('page') };
const context = { link: (url: string) => ({ key: Buffer.from(url), url, host: 'example.com', path: url, depth: 0 }) };

it('evaluateLinks returns the number of links that it did not evaluate within the time limit', async () => {
  const turns = { isOver: true, next: async () => {} };
  const late = await evaluateLinks(context, page, { links, turns, limitMs: -1 });
  expect([late.linked.size, late.ignored]).toEqual([1, 99]);
  const inTime = await evaluateLinks(context, page, { links, turns });
  expect([inTime.linked.size, inTime.ignored]).toEqual([100, 0]);
});
