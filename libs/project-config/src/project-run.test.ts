import { describe, expect, it } from '@jest/globals';
import { configEntries } from './config.ts';
import { toProjectRun } from './project-run.ts';

describe('toProjectRun', () => {
  it('uses the defaults for keys that are not set', () => {
    const { scope, options } = toProjectRun({});
    expect(scope).toMatchObject({ maxPages: 1_000, maxDepth: 10, useSitemap: true, timeLimitMinutes: 360 });
    expect(options).toMatchObject({ formats: ['markdown'], renderJs: 'auto', respectRobots: true, retries: 2 });
  });

  it('uses the keys of a run and ignores the others', () => {
    const { scope, options } = toProjectRun({
      max_pages: 5,
      include_paths: ['/blog/*'],
      render_js: 'never',
      chat_url: 'https://hooks.example/x',
      feeds: ['https://example.com/feed'],
    });
    expect(scope).toMatchObject({ maxPages: 5, includePaths: ['/blog/*'] });
    expect(options.renderJs).toBe('never');
  });

  it('treats an explicit default like a missing key', () => {
    const whole = configEntries.filter(([, { fallback }]) => fallback !== null);
    expect(toProjectRun(Object.fromEntries(whole.map(([key, { fallback }]) => [key, fallback])))).toEqual(
      toProjectRun({}),
    );
  });

  it('keeps the requested formats if store_html is always: the html is stored, and returned where it is requested', () => {
    const { formats, htmlOfPages } = toProjectRun({ store_html: 'always' }).options;
    expect({ formats, htmlOfPages }).toEqual({ formats: ['markdown'], htmlOfPages: true });
    expect(toProjectRun({ store_html: 'always', formats: ['rawHtml'] }).options.formats).toEqual(['rawHtml']);
    expect(toProjectRun({}).options.htmlOfPages).toBe(false);
  });

  it('stores the html of the home page by default and passes the login id', () => {
    expect(toProjectRun({}).options).toMatchObject({ htmlOfHome: true, loginId: undefined });
    expect(toProjectRun({ store_html: 'always' }).options.htmlOfHome).toBe(false);
    const login = 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m';
    expect(toProjectRun({ login_id: login }).options.loginId).toBe(login);
  });

  it('rejects keys that contradict each other', () => {
    expect(() => toProjectRun({ render_js: 'always', max_tier: 'http' })).toThrow('max_tier');
    expect(() => toProjectRun({ crawl_mode: 'list_only' })).toThrow(
      'config.crawl_mode "list_only" visits config.url_list',
    );
    expect(() => toProjectRun({ sitemap_mode: 'only', use_sitemap: false })).toThrow('config.use_sitemap excludes');
    expect(() => toProjectRun({ crawl_mode: 'sitemap_only', sitemap_mode: 'skip' })).toThrow('config.sitemap_mode');
  });
});
