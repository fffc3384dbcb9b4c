import { expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { findOutOfScope } from './find-out-of-scope.ts';

it('stops at its time limit with an error if accepted patterns are slow, and gives other work of the process turns', async () => {
  // Accepted by size; each URL takes some hundredths of a second, as every repetition matches at every character.
  const excludePaths = Array.from({ length: 3 }, (_, i) => `re:(.{0,200}){0,1}a<${i}>(.*a){9}`);
  const scope = Scope.fromPartial({
    sitemapMode: 'auto',
    crawlMode: 'links_first',
    excludePaths,
    maxPages: 10,
    maxDepth: 10,
  });
  const urls = Array.from({ length: 1_000 }, (_, i) => `https://example.com/${'ab'.repeat(300)}${i}`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await expect(findOutOfScope('https://example.com/', scope, urls)).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringMatching(/^config: the patterns were compared with \d+ of 1000 URLs/),
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});
