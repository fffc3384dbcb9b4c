import { describe, expect, it } from '@jest/globals';
import { chatUrlOf, fromChangedetection } from '../src/import/changedetection.ts';
import { fromFirecrawl } from '../src/import/firecrawl.ts';
import { importSteps } from '../src/import/known-projects.ts';
import { fromList, fromOpml, fromScreamingFrog, parseCsv } from '../src/import/lists.ts';
import { runsPerMonth, scheduleOf } from '../src/import/schedule.ts';

describe('the import of changedetection.io', () => {
  const backup = {
    settings: { requests: { time_between_check: { hours: 6 } } },
    watching: {
      a: {
        url: 'https://shop.example/a',
        include_filters: ['.price', 'xpath://h1'],
        subtractive_selectors: ['nav'],
        headers: { 'X-Shop': '1' },
        fetch_backend: 'html_webdriver',
        time_between_check: { minutes: 30 },
        tags: ['Prices'],
        notification_urls: ['slack://T0/B0/secret', 'mailto://me@example.com'],
        trigger_text: ['sold out'],
      },
      b: { url: 'https://shop.example/b' },
      c: { url: 'https://shop.example/c', time_between_check: { weeks: null, hours: 0 } },
      d: { url: 'ftp://shop.example/d' },
    },
  };

  it('makes one project per host and settings, whose runs fetch exactly the watched pages', () => {
    const { projects } = fromChangedetection(backup);
    expect(projects).toEqual([
      {
        name: 'Prices',
        seed: 'https://shop.example/',
        schedule: '*/30 * * * *',
        config: {
          include_selectors: ['.price'],
          exclude_selectors: ['nav'],
          headers: { 'X-Shop': '1' },
          render_js: 'always',
          chat_url: 'https://hooks.slack.com/services/T0/B0/secret',
          crawl_mode: 'list_only',
          url_list: ['https://shop.example/a'],
          max_pages: 1,
        },
      },
      {
        name: 'shop.example',
        seed: 'https://shop.example/',
        schedule: '0 */6 * * *',
        config: {
          crawl_mode: 'list_only',
          url_list: ['https://shop.example/b', 'https://shop.example/c'],
          max_pages: 2,
        },
      },
    ]);
  });

  it('lists what has no counterpart, by watch', () => {
    expect(fromChangedetection(backup).notCarried).toEqual([
      'https://shop.example/a: trigger_text',
      'https://shop.example/a: selector xpath://h1',
      'https://shop.example/a: notification mailto',
      'ftp://shop.example/d: not an http or https URL',
    ]);
  });

  it('reads the responses of its API and single watches', () => {
    const watch = { url: 'https://a.example/', paused: true };
    for (const source of [watch, [watch], { 'uuid-1': watch }])
      expect(fromChangedetection(source).projects).toMatchObject([{ seed: 'https://a.example/', schedule: 'manual' }]);
  });

  it.each([
    ['slack://bot@T0/B0/x', 'https://hooks.slack.com/services/T0/B0/x'],
    ['discord://123/abc?avatar=no', 'https://discord.com/api/webhooks/123/abc'],
    ['https://hooks.slack.com/services/a', 'https://hooks.slack.com/services/a'],
    ['tgram://1/2', undefined],
  ])('converts the notification %s', (given, expected) => {
    expect(chatUrlOf(given)).toBe(expected);
  });
});

describe('the import of Firecrawl monitors', () => {
  it('makes a project per crawl target and per host of scrape targets, and carries schedule, retention and receivers', () => {
    const monitor = {
      id: 'mon_1',
      name: 'Docs',
      status: 'active',
      schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' },
      retentionDays: 30,
      webhook: { url: 'https://hooks.example/' },
      notification: { email: { enabled: true, recipients: ['me@example.com'] } },
      goal: 'prices',
      targets: [
        { type: 'scrape', urls: ['https://a.example/x', 'https://b.example/y'] },
        { type: 'crawl', url: 'https://c.example/', crawlOptions: { limit: 50 } },
        { type: 'search', query: 'tide' },
      ],
    };
    const { projects, notCarried } = fromFirecrawl({ success: true, data: [monitor] });
    const shared = { name: 'Docs', schedule: '0 6 * * *', timezone: 'Europe/Berlin', retention: 30 };
    const config = { webhook_url: 'https://hooks.example/', notify_emails: ['me@example.com'] };
    const listOnly = { ...config, crawl_mode: 'list_only', max_pages: 1 };
    expect(projects).toEqual([
      { ...shared, seed: 'https://a.example/', config: { ...listOnly, url_list: ['https://a.example/x'] } },
      { ...shared, seed: 'https://b.example/', config: { ...listOnly, url_list: ['https://b.example/y'] } },
      { ...shared, seed: 'https://c.example/', config: { ...config, max_pages: 50 } },
    ]);
    expect(notCarried).toEqual([expect.stringContaining('goal "prices"'), 'Docs: target of type search']);
  });
});

describe('the import of lists', () => {
  it('reads the column Address of Screaming Frog, and leaves out rows that are no pages', () => {
    const csv =
      '\uFEFF"Address","Content Type","Status Code"\r\n"https://a.example/x,1","text/html; charset=utf-8","200"\r\n"https://a.example/logo.png","image/png","200"\r\n"https://a.example/gone","text/html","404"\r\n';
    const { projects, notCarried } = fromScreamingFrog(csv);
    expect(projects).toMatchObject([{ config: { url_list: ['https://a.example/x,1'] } }]);
    expect(notCarried).toEqual(['2 rows without status 200 or that are no HTML']);
    expect(fromScreamingFrog('"URL"\n').notCarried).toEqual(['the file has no column Address']);
  });

  it('reads CSV with quotes, line breaks in cells and other separators', () => {
    expect(parseCsv('a;b\n"1;\n""x""";2')).toEqual([
      ['a', 'b'],
      ['1;\n"x"', '2'],
    ]);
  });

  it('reads a URL a line and JSON of a Crawlee dataset', () => {
    const expected = [{ name: 'a.example', seed: 'https://a.example/', config: { url_list: ['https://a.example/x'] } }];
    expect(fromList('# pages\nhttps://a.example/x\r\n\nhttps://a.example/x\n').projects).toMatchObject(expected);
    expect(fromList('[{"url":"https://a.example/x","title":"X"}]').projects).toMatchObject(expected);
  });

  it('reads the feeds of OPML, a project per site', () => {
    const opml = `<opml><body><outline text="Sea"><outline type="rss" text="Tides &amp; more" xmlUrl="https://a.example/feed?x=1&amp;y=2" htmlUrl='https://a.example/blog'/>
      <outline xmlUrl="https://a.example/news.xml" htmlUrl="https://a.example/blog"/><outline xmlUrl="gopher://x"/></outline></body></opml>`;
    const { projects, notCarried } = fromOpml(opml);
    expect(projects).toEqual([
      {
        name: 'Tides & more',
        seed: 'https://a.example/',
        config: {
          crawl_mode: 'list_only',
          url_list: ['https://a.example/blog'],
          feeds: ['https://a.example/feed?x=1&y=2', 'https://a.example/news.xml'],
        },
      },
    ]);
    expect(notCarried).toEqual(['gopher://x: not an http or https URL']);
  });
});

describe('an imported schedule', () => {
  it.each([
    [{ minutes: 7 }, '*/6 * * * *'],
    [{ hours: 1 }, 'hourly'],
    [{ hours: 5 }, '0 */4 * * *'],
    [{ days: 1 }, 'daily'],
    [{ weeks: 1 }, 'weekly'],
    [{ days: 30 }, 'monthly'],
    [{ hours: 0 }, undefined],
  ])('is for %j the nearest one that is not longer: %s', (interval, expected) => {
    expect(scheduleOf(interval)).toBe(expected);
  });

  it.each([
    ['manual', 0],
    ['daily', 30],
    ['*/30 * * * *', 1_440],
    ['0 6,18 * * *', 60],
    ['0 6 * * 1-5', (30 * 5) / 7],
    ['0 0 1 * *', 1],
  ])('%s is run %d times a month', (schedule, expected) => {
    expect(runsPerMonth(schedule)).toBeCloseTo(expected);
  });
});

describe('an import that is repeated', () => {
  const planned = fromChangedetection({
    watching: {
      a: { url: 'https://shop.example/a', include_filters: ['.price'] },
      b: { url: 'https://shop.example/a', include_filters: ['.stock'] },
      c: { url: 'https://shop.example/c' },
      d: { url: 'https://other.example/' },
    },
  }).projects;
  /** The projects as the API returns them after an import. */
  const known = planned.map(({ seed, name = null, config = {} }, at) => ({ id: `prj_${at}`, seed, name, config }));

  it('creates nothing, also where several projects share a seed and a name', () => {
    const steps = importSteps(planned, known.toReversed());
    expect(steps.map((step) => (step.kind === 'exists' ? step.id : step.kind))).toEqual(known.map(({ id }) => id));
  });

  it('creates only the projects that an interrupted import did not make', () => {
    const kinds = importSteps(planned, known.slice(0, 2)).map(({ kind }) => kind);
    expect(kinds).toEqual(['exists', 'exists', 'create', 'create']);
  });

  it('leaves a project as it is whose settings were changed since, and states the pages that it lacks', () => {
    const changed = known.map((one) => ({
      ...one,
      config: { ...one.config, max_pages: 7, include_selectors: ['main'] },
    }));
    expect(importSteps(planned, changed).map(({ kind }) => kind)).toEqual(planned.map(() => 'exists'));
    const more = fromList('https://other.example/\nhttps://other.example/new').projects;
    expect(importSteps(more, known)).toEqual([expect.objectContaining({ kind: 'exists', id: 'prj_3', missing: 1 })]);
  });

  it('creates a project of another name, another site, or other pages', () => {
    const others = [
      ...fromList('https://shop.example/z\nhttps://third.example/').projects,
      { seed: 'https://shop.example/', name: 'Prices', config: {} },
    ];
    expect(importSteps(others, known).map(({ kind }) => kind)).toEqual(['create', 'create', 'create']);
  });
});
