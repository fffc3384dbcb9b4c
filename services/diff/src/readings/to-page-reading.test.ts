import { describe, expect, it } from '@jest/globals';
import { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import { toPageReading } from './to-page-reading.ts';

describe('toPageReading', () => {
  const feed = (foundVia: string) =>
    toPageReading(
      ArchivedPage.fromPartial({
        page: {
          row: { id: 'cap_1', url: 'https://a.example/feed.rss', verdict: 'ok', signals: ['document', 'machine-read'] },
        },
        known: { foundVia },
      }),
      { runId: 'run_1', query: { ignoreQuery: new Set<string>(), keepTracking: false } },
    );

  it('marks a feed, a sitemap or data that the crawl found as read by machines', () => {
    expect(feed('link')?.isMachineRead).toBe(true);
    expect(feed('sitemap')?.isMachineRead).toBe(true);
  });

  it('compares such a file like a page if the configuration names its URL', () => {
    expect(feed('seed')?.isMachineRead).toBeUndefined();
    expect(feed('list')?.isMachineRead).toBeUndefined();
  });
});
