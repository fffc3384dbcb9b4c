import { describe, expect, it, test } from '@jest/globals';
import { CONFIG_GROUPS, configEntries } from './config.ts';
import { isMaskedUrl, maskUrl } from './masked-url.ts';
import { ProjectConfig, ProjectConfigPatch } from './project-config.ts';

const faultsOf = (schema: typeof ProjectConfig | typeof ProjectConfigPatch, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('CONFIG_KEYS', () => {
  test.each(configEntries)('%s has a group, a meaning, and a default that it takes itself', (_, entry) => {
    expect(CONFIG_GROUPS).toContain(entry.group);
    expect(entry.description).not.toBe('');
    if (entry.fallback !== null) expect(entry.schema.safeParse(entry.fallback)).toMatchObject({ success: true });
  });

  it('marks the keys that belong to one site: URL lists, feeds, patterns, credentials and places', () => {
    const ofOneSite = configEntries.filter(([, { site }]) => site === true).map(([key]) => key);
    expect(ofOneSite.sort()).toEqual(
      [
        'url_list',
        'feeds',
        'include_paths',
        'exclude_paths',
        'sitemap_include',
        'sitemap_exclude',
        'cookies',
        'login_id',
        'volatile_overrides',
      ].sort(),
    );
  });
});

describe('ProjectConfig', () => {
  it('accepts every key of the catalogue and names unknown keys', () => {
    const whole = Object.fromEntries(
      configEntries.filter(([, e]) => e.fallback !== null).map(([k, e]) => [k, e.fallback]),
    );
    expect(ProjectConfig.parse(whole)).toEqual(whole);
    expect(ProjectConfig.safeParse({ colour: 'blue' }).error?.issues).toMatchObject([{ keys: ['colour'] }]);
  });

  it('accepts STORE_HTML as an alias of store_html, but not both', () => {
    expect(ProjectConfig.parse({ STORE_HTML: 'always' })).toEqual({ store_html: 'always' });
    expect(faultsOf(ProjectConfig, { STORE_HTML: 'always', store_html: 'home' })).toEqual([
      expect.stringContaining('STORE_HTML'),
    ]);
  });

  it('accepts null only in a patch, where it resets a key', () => {
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
  ])('rejects text in %s that PostgreSQL cannot store, and names the key', (key, value) => {
    expect(faultsOf(ProjectConfig, { [key]: value })).toEqual([expect.stringContaining(key)]);
  });

  test.each([
    ['headers', { 'Transfer-Encoding': 'chunked' }],
    ['headers', { HOST: 'example.com' }],
    ['headers', { 'x-note': 'Pr\u00fcfung \u2713' }],
    ['headers', { 'x-note': 'a\u0085b' }],
    ['user_agent', 'Tide\u2713'],
  ])('rejects %s that no client can send: %j', (key, value) => {
    expect(faultsOf(ProjectConfig, { [key]: value })).toEqual([expect.stringContaining(key)]);
  });

  it('accepts a header with the characters of Latin-1', () => {
    expect(faultsOf(ProjectConfig, { headers: { 'x-note': '\tPr\u00fcfung' }, user_agent: 'T\u00ef' })).toEqual([]);
  });

  it('rejects an object with too many levels', () => {
    let deep: object = {};
    for (let level = 0; level < 50_000; level += 1) deep = { deep };
    expect(faultsOf(ProjectConfig, { webhook_metadata: deep })).toEqual([expect.stringContaining('20 levels')]);
  });

  test.each([
    ['feeds', ['ftp://example.com/feed']],
    ['feeds', Array.from({ length: 101 }, (_, i) => `https://example.com/${i}`)],
    ['webhook_url', 'no URL'],
    ['webhook_events', ['run.started']],
    ['notify_min_words', -1],
    ['notify_emails', ['not-an-address']],
    ['chat_url', 'hooks.example'],
    ['change_digest', {}],
    ['login_id', 'mine'],
    ['template_changes', 'none'],
    ['volatile_selectors', 'div'],
    ['store_html', 'never'],
  ])('rejects an invalid %s', (key, value) => {
    expect(faultsOf(ProjectConfig, { [key]: value })).toEqual([expect.stringContaining(key)]);
  });
});

describe('a URL without a scheme', () => {
  test.each([
    ['webhook_url', 'example.com/hook', 'https://example.com/hook'],
    ['chat_url', 'hooks.slack.com/services/T0/B0/x', 'https://hooks.slack.com/services/T0/B0/x'],
    ['chat_url', 'hooks.slack.com/***', 'https://hooks.slack.com/***'],
    ['webhook_url', '', ''],
    ['chat_url', '', ''],
  ])('in %s is read as https: %j', (key, sent, stored) => {
    expect(ProjectConfig.parse({ [key]: sent })).toEqual({ [key]: stored });
  });
});

describe('maskUrl', () => {
  it('keeps only the host, is recognised, and is accepted in a patch', () => {
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
