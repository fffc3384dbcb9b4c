import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
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

const capture = (path: string, order: Readonly<Record<string, unknown>> = {}) =>
  workspace.writer.capture(web.url(path), order);
const configured = (path: string, config: Readonly<Record<string, unknown>>) => capture(path, { config });

describe('a request to a site carries', () => {
  test.each(['never', 'always'])('the requested headers, cookies and user agent, rendered %s', async (render_js) => {
    const { page } = await configured('/echo', {
      render_js,
      headers: { 'X-Harbour': 'Harlow Point' },
      cookies: { berth: '12' },
      user_agent: 'HarbourBot/1.0',
    });
    expect(page.markdown).toContain('x-harbour: Harlow Point');
    expect(page.markdown).toContain('berth=12');
    expect(page.markdown).toContain('user-agent: HarbourBot/1.0');
  });

  test('no header of the caller to another host', async () => {
    const { page } = await configured('/redirect/echo-elsewhere', { headers: { 'X-Harbour': 'Harlow Point' } });
    expect(page.markdown).toContain('user-agent:');
    expect(page.markdown).not.toContain('Harlow Point');
  });

  test('a mobile user agent for a mobile device', async () => {
    const { page } = await configured('/echo', { device: 'mobile' });
    expect(page.markdown).toMatch(/user-agent: .*Tidemark.*Mobile|user-agent: .*Mobile.*Tidemark/);
  });
});

describe('in a browser, a page', () => {
  test('is captured once the requested condition holds', async () => {
    const { page } = await configured('/late', { wait_for: '#late' });
    expect(page).toMatchObject({ tier: 'browser', verdict: 'ok', warnings: [] });
    expect(page.markdown).toContain('The pilot came aboard at last.');
  });

  test('is captured with a warning if the condition never holds', async () => {
    const { page } = await configured('/article', { wait_for: '#never', timeout_seconds: 6 });
    expect(page.markdown).toContain('Edda Marsh');
    expect(page.warnings).toEqual([expect.stringContaining('wait_for')]);
  });

  test('is clicked and typed into before it is read', async () => {
    const { page } = await configured('/buttons', {
      actions: [
        { type: 'type', selector: '#name', text: 'Edda' },
        { type: 'click', selector: '#greet' },
        { type: 'wait', selector: '#greeting', ms: 3_000 },
        { type: 'scroll', to: 'bottom' },
      ],
    });
    expect(page.markdown).toContain('Welcome aboard, Edda.');
    expect(page.warnings).toEqual([]);
  });
});

describe('of a page', () => {
  test('the content is the selected parts without the excluded ones', async () => {
    const { page } = await capture('/docs', {
      scrapeOptions: { includeSelectors: ['table'], excludeSelectors: ['thead'] },
      formats: 'markdown,text,cleanHtml',
    });
    expect(page.text).toContain('ack_wait');
    expect(page.text).not.toContain('retry_seconds=[1, 5, 30]');
    expect(page.cleanHtml).not.toContain('<thead');
  });

  test('fields are extracted by CSS and by XPath', async () => {
    const { page } = await configured('/product', {
      fields: {
        name: { selector: 'h1' },
        heading: { selector: '//h1' },
        links: { selector: 'a', attribute: 'href', type: 'url', many: true },
        missing: { selector: '.nothing-here' },
      },
    });
    expect(page.fields?.['name']).toBe(page.fields?.['heading']);
    expect(page.fields?.['name']).not.toBe('');
    expect(page.fields?.['links']).toEqual(expect.arrayContaining([expect.stringMatching(/^http/)]));
    expect(page.fields?.['missing']).toBeNull();
  });

  test('only the row is stored if the language differs from the requested one', async () => {
    const { page } = await configured('/article', { languages: ['de', 'fr'] });
    expect(page).toMatchObject({ verdict: 'skipped', errorCode: 'OK' });
    expect((await configured('/article', { languages: ['en'] })).page.verdict).toBe('ok');
  });

  test('an invalid selector is reported and the page is captured', async () => {
    const { page } = await configured('/article', { exclude_selectors: ['p:::nonsense('] });
    expect(page.verdict).toBe('ok');
    expect(page.warnings).toEqual([expect.stringContaining('nonsense')]);
  });
});

describe('a site with temporary server errors', () => {
  test('is retried at most twice, and the row counts the retries', async () => {
    const { page } = await configured('/flaky/two', {});
    expect(page).toMatchObject({ verdict: 'ok', httpStatus: 200 });
    expect(page.warnings).toEqual(['retried 2 times']);
    const { page: once } = await configured('/flaky/again', { retries: 0 });
    expect(once).toMatchObject({ verdict: 'blocked', httpStatus: 503 });
  });
});

describe('a page younger than maxAge', () => {
  test('is returned from the archive: cached, free, equal, and without a request to the site', async () => {
    const order = { maxAge: 600, formats: 'markdown,links' };
    const first = await capture('/article?kept', order);
    expect(first.page).toMatchObject({ verdict: 'ok', credits: 1 });
    const read = [first.page.crawledAt];
    const second = await until('the first is in the archive', async () => {
      const again = await capture('/article?kept', order);
      if (again.page.verdict === 'cached') return again;
      read.push(again.page.crawledAt);
      return false;
    });
    expect(second.page).toMatchObject({ credits: 0, errorCode: 'OK', markdown: first.page.markdown });
    expect(read).toContain(second.page.crawledAt);
    expect(second.job.creditsUsed).toBe(0);
    const fewer = await capture('/article?kept', { maxAge: 600, formats: 'markdown' });
    expect(fewer.page.verdict).toBe('cached');
    const more = await capture('/article?kept', { maxAge: 600, formats: 'rawHtml' });
    expect(more.page.verdict).toBe('ok');
  });

  test('is never returned from another workspace', async () => {
    const other = await fleet.workspaces.make();
    const { page } = await other.writer.capture(web.url('/article?kept'), { maxAge: 600 });
    expect(page.verdict).toBe('ok');
  });
});
