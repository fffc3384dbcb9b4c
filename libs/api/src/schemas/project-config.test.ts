import { describe, expect, it, test } from '@jest/globals';
import { CONFIG_GROUPS, configEntries } from './config.ts';
import { isMaskedUrl, maskUrl } from './masked-url.ts';
import { ProjectConfig, ProjectConfigPatch } from './project-config.ts';

const faultsOf = (schema: typeof ProjectConfig | typeof ProjectConfigPatch, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the catalogue', () => {
  test.each(configEntries)('%s has a group, a meaning, and a default that it takes itself', (_, entry) => {
    expect(CONFIG_GROUPS).toContain(entry.group);
    expect(entry.says).not.toBe('');
    if (entry.fallback !== null) expect(entry.schema.safeParse(entry.fallback)).toMatchObject({ success: true });
  });

  it('knows what belongs to one site: address lists, feeds and patterns, and what opens its doors', () => {
    const ofOneSite = configEntries.filter(([, { site }]) => site === true).map(([key]) => key);
    expect(ofOneSite.sort()).toEqual(
      [
        ...['url_list', 'feeds', 'include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude'],
        ...['cookies', 'login_id'],
      ].sort(),
    );
  });
});

describe('a project’s configuration', () => {
  it('takes every key of the catalogue, and refuses any other by name', () => {
    const whole = Object.fromEntries(
      configEntries.filter(([, e]) => e.fallback !== null).map(([k, e]) => [k, e.fallback]),
    );
    expect(ProjectConfig.parse(whole)).toEqual(whole);
    expect(ProjectConfig.safeParse({ colour: 'blue' }).error?.issues).toMatchObject([{ keys: ['colour'] }]);
  });

  it('takes STORE_HTML for store_html, but not both', () => {
    expect(ProjectConfig.parse({ STORE_HTML: 'always' })).toEqual({ store_html: 'always' });
    expect(faultsOf(ProjectConfig, { STORE_HTML: 'always', store_html: 'home' })).toEqual([
      expect.stringContaining('STORE_HTML'),
    ]);
  });

  it('takes null in a change alone, where it means the default', () => {
    expect(ProjectConfigPatch.parse({ max_pages: null, STORE_HTML: null })).toEqual({
      max_pages: null,
      store_html: null,
    });
    expect(faultsOf(ProjectConfig, { max_pages: null })).toEqual([expect.stringContaining('max_pages')]);
  });

  test.each([
    ['include_paths', ['a\u0000']],
    ['url_list', ['https://example.com/\ud800']],
    ['webhook_metadata', { note: '\u0000' }],
    ['change_digest', { connection_id: 'con', focus: '\udc00' }],
  ])('holds nothing in %s that no database keeps, and names the key', (key, value) => {
    expect(faultsOf(ProjectConfig, { [key]: value })).toEqual([expect.stringContaining(key)]);
  });

  it('holds no object nested deeper than can be walked', () => {
    let deep: object = {};
    for (let level = 0; level < 50_000; level += 1) deep = { deep };
    expect(faultsOf(ProjectConfig, { webhook_metadata: deep })).toEqual([expect.stringContaining('20 levels')]);
  });

  test.each([
    ['feeds', ['ftp://example.com/feed']],
    ['feeds', Array.from({ length: 101 }, (_, i) => `https://example.com/${i}`)],
    ['webhook_url', 'example.com'],
    ['webhook_events', ['run.started']],
    ['notify_min_words', -1],
    ['notify_emails', ['nobody']],
    ['chat_url', 'hooks.example'],
    ['change_digest', {}],
    ['login_id', 'mine'],
    ['template_changes', 'none'],
    ['volatile_selectors', 'div'],
    ['store_html', 'never'],
  ])('refuses a wrong %s', (key, value) => {
    expect(faultsOf(ProjectConfig, { [key]: value })).toEqual([expect.stringContaining(key)]);
  });
});

describe('a masked address', () => {
  it('shows its host alone, is known as one, and is taken back', () => {
    const masked = maskUrl('https://hooks.example/services/T0/B0/secret?token=1');
    expect(masked).toBe('https://hooks.example/***');
    expect([isMaskedUrl(masked), isMaskedUrl('https://hooks.example/services'), isMaskedUrl('/***')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(ProjectConfig.parse({ chat_url: masked })).toEqual({ chat_url: masked });
  });
});
