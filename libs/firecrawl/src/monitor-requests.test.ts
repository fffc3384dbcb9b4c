import { describe, expect, it } from '@jest/globals';
import { toProjectBody, toProjectPatch } from './monitor-requests.ts';
import { cronOf, cronOfText } from './monitor-schedule.ts';

const SCRAPE = { type: 'scrape', urls: ['https://a.example/x', 'https://a.example/y'] };
const monitor = (more: object = {}) => ({ name: 'A', schedule: { cron: '0 9 * * *' }, targets: [SCRAPE], ...more });

describe('the schedule of a monitor', () => {
  it.each([
    ['hourly', '0 * * * *'],
    ['Every 30 minutes', '*/30 * * * *'],
    ['every hour', '0 */1 * * *'],
    ['every 6 hours', '0 */6 * * *'],
    ['daily at 9:05', '5 9 * * *'],
    ['weekly', '0 0 * * 0'],
  ])('is the cron expression of the text %s', (text, cron) => {
    expect(cronOfText(text, 'schedule.text')).toBe(cron);
  });

  it.each(['every 7 minutes', 'every 0 minutes', 'daily at 25:00', 'when it rains', 'constructor'])(
    'refuses the text %s by name',
    (text) => {
      expect(() => cronOfText(text, 'schedule.text')).toThrow('schedule.text: expected a cron expression');
    },
  );

  it('is returned as cron whatever form it has here, and not at all for a paused monitor', () => {
    expect(['hourly', '5 9 * * *', 'manual'].map(cronOf)).toEqual(['0 * * * *', '5 9 * * *', undefined]);
  });
});

describe('a request for a monitor', () => {
  it('becomes a project over a list of pages for a scrape target', () => {
    const sent = monitor({
      schedule: { text: 'daily', timezone: 'Europe/Berlin' },
      targets: [{ ...SCRAPE, scrapeOptions: { formats: ['markdown'], onlyMainContent: true } }],
      webhook: { url: 'https://hooks.example/', events: ['monitor.page'], metadata: { team: 'a' } },
      notification: { email: { enabled: true, recipients: ['ann@a.example'] } },
      retentionDays: 30,
      goal: 'Prices',
    });
    expect(toProjectBody(sent)).toEqual({
      name: 'A',
      seed: 'https://a.example/',
      schedule: '0 0 * * *',
      timezone: 'Europe/Berlin',
      retention: 30,
      config: {
        crawl_mode: 'list_only',
        url_list: SCRAPE.urls,
        max_pages: 2,
        formats: ['markdown'],
        only_main_content: true,
        webhook_url: 'https://hooks.example/',
        webhook_events: ['page.changed'],
        webhook_metadata: { team: 'a' },
        notify_emails: ['ann@a.example'],
        change_digest: { focus: 'Prices' },
      },
    });
  });

  it('becomes a project with the scope of the crawl for a crawl target', () => {
    const crawlOptions = { limit: 50, maxDiscoveryDepth: 2, excludePaths: ['^/tag/'], sitemap: 'only', delay: 1 };
    const target = { type: 'crawl', url: 'https://a.example/blog/', crawlOptions };
    expect(toProjectBody(monitor({ targets: [target] }))).toEqual({
      name: 'A',
      seed: 'https://a.example/blog/',
      schedule: '0 9 * * *',
      config: {
        max_pages: 50,
        max_depth: 2,
        exclude_paths: ['re:^/tag/'],
        sitemap_mode: 'only',
        delay_ms: 1_000,
        include_paths: ['re:^/blog/'],
      },
    });
  });

  it.each([
    ['targets with 2 entries', { targets: [SCRAPE, SCRAPE] }],
    ['targets[0] of type search', { targets: [{ type: 'search', queries: ['tides'] }] }],
    ['targets[0].goal', { targets: [{ ...SCRAPE, goal: 'x' }] }],
    ['targets[0].urls', { targets: [{ type: 'scrape', urls: [] }] }],
    ['targets[0].scrapeOptions.nope', { targets: [{ ...SCRAPE, scrapeOptions: { nope: 1 } }] }],
    [
      'targets[0].crawlOptions.webhook',
      { targets: [{ type: 'crawl', url: 'https://a.example/', crawlOptions: { webhook: 'x' } }] },
    ],
    ['webhook.headers', { webhook: { url: 'https://hooks.example/', headers: { a: 'b' } } }],
    ['webhook.events[0]', { webhook: { url: 'https://hooks.example/', events: ['monitor.other'] } }],
    [
      'notification.email.includeDiffs',
      { notification: { email: { recipients: ['a@a.example'], includeDiffs: true } } },
    ],
    ['judgeEnabled', { judgeEnabled: true }],
    ['schedule', { schedule: {} }],
    ['schedule.every', { schedule: { cron: '0 9 * * *', every: 'day' } }],
    ['interval', { interval: 5 }],
  ])('refuses %s by name', (name, more) => {
    expect(() => toProjectBody(monitor(more))).toThrow(name);
  });

  it('refuses a monitor without a schedule or a target', () => {
    expect(() => toProjectBody({ name: 'A', targets: [SCRAPE] })).toThrow('schedule: expected');
    expect(() => toProjectBody({ name: 'A', schedule: { cron: '0 9 * * *' } })).toThrow('targets: expected');
  });

  it('changes only what it names; null removes, and paused is the schedule manual', () => {
    const seed = 'https://a.example/';
    expect(toProjectPatch({ name: 'B' }, seed)).toEqual({ name: 'B' });
    expect(toProjectPatch({ status: 'paused', webhook: null, goal: null }, seed)).toEqual({
      schedule: 'manual',
      config: { webhook_url: null, webhook_events: null, webhook_metadata: null, change_digest: null },
    });
    expect(toProjectPatch({ targets: [SCRAPE] }, seed)).toMatchObject({ config: { url_list: SCRAPE.urls } });
    expect(() => toProjectPatch({ targets: [SCRAPE] }, 'https://b.example/')).toThrow('another site');
    expect(() => toProjectPatch({ status: 'active' }, seed)).toThrow('send the schedule');
    expect(() => toProjectPatch({ status: 'deleted' }, seed)).toThrow('status: expected');
  });
});
