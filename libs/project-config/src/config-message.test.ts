import { describe, expect, it } from '@jest/globals';
import { ConfigChange, ProjectConfig } from '@tidemark/contracts/config/v1/config';
import { configEntries } from './config.ts';
import { fromConfigChange, fromConfigMessage, toConfigChange, toConfigMessage } from './config-message.ts';
import type { AllSettings } from './settings.ts';

/** A value of every key. */
const EVERY_KEY: Required<AllSettings> = {
  max_pages: 5,
  max_depth: 0,
  include_paths: ['/blog/**'],
  exclude_paths: [],
  allow_subdomains: true,
  use_sitemap: false,
  sitemap_mode: 'skip',
  sitemap_include: ['/a.xml'],
  sitemap_exclude: ['/b.xml'],
  crawl_mode: 'links_first',
  url_list: ['https://site.test/'],
  feeds: ['https://site.test/feed'],
  ignore_query: ['ref'],
  keep_tracking: true,
  respect_robots: false,
  time_limit_minutes: 10,
  render_js: 'always',
  max_tier: 'browser',
  use_proxy: 'never',
  country: 'DE',
  timeout_seconds: 30,
  max_age_seconds: 0,
  max_credits_per_page: 3,
  headers: { accept: 'text/html' },
  cookies: { session: 'a' },
  device: 'mobile',
  user_agent: 'Agent',
  wait_for: 'network_idle',
  actions: [
    { type: 'click', selector: 'a' },
    { type: 'type', selector: 'input', text: 'words' },
    { type: 'press', key: 'Enter' },
    { type: 'scroll', to: 'down', selector: '.end' },
    { type: 'wait', ms: 5 },
    { type: 'select', selector: 'select', value: 'de' },
  ],
  block_resources: false,
  retries: 0,
  concurrency: 2,
  delay_ms: 100,
  login_id: 'lgn_01jzq0000000000000000000aa',
  only_main_content: false,
  include_selectors: ['main'],
  exclude_selectors: ['nav'],
  remove_banners: false,
  remove_base64_images: false,
  omit_title_heading: true,
  min_words: 1,
  languages: ['de'],
  fields: {
    price: { selector: '.price', type: 'number', many: false },
    links: { selector: 'a', attribute: 'href', type: 'url', many: true },
  },
  extract: { connection_id: 'default', schema: { type: 'object' }, prompt: 'Prices only', max_tokens: 100 },
  parse_documents: false,
  template_changes: 'each',
  volatile_selectors: ['.clock'],
  volatile_overrides: [{ place: 'a'.repeat(16), ignore: true, text: 'words' }],
  formats: ['cleanHtml', 'rawHtml'],
  screenshot: 'full',
  store_html: 'always',
  webhook_url: 'https://hooks.test/',
  webhook_events: ['run.finished', 'sitemap.file_added'],
  webhook_metadata: { team: { id: 5 } },
  notify_min_words: 3,
  notify_emails: ['a@example.com'],
  chat_url: 'https://hooks.slack.com/services/a/b/c',
  change_digest: { connection_id: 'con_a', focus: 'prices' },
  alerts: [
    {
      id: 'recall',
      name: 'Recall',
      when: 'mentions(entry.text_added, "recall")',
      channels: ['chat'],
      initial: true,
      cooldown_minutes: 0,
      deliver: 'daily',
      at: '09:30',
      quiet: { from: '22:00', to: '07:00' },
    },
    {
      id: 'gone',
      name: 'Gone',
      when: "kind == 'removed'",
      initial: false,
      cooldown_minutes: 60,
      deliver: 'now',
      at: '08:00',
    },
  ],
};

const overTheWire = (message: ProjectConfig): ProjectConfig =>
  ProjectConfig.decode(ProjectConfig.encode(message).finish());

describe('the message of a configuration', () => {
  it('has every key of the catalogue, and every value as it was', () => {
    expect(Object.keys(EVERY_KEY).sort()).toEqual(configEntries.map(([key]) => key).sort());
    expect(fromConfigMessage(overTheWire(toConfigMessage(EVERY_KEY)))).toStrictEqual(EVERY_KEY);
  });

  it('distinguishes an empty list from a key that is not set', () => {
    expect(fromConfigMessage(overTheWire(toConfigMessage({ feeds: [] })))).toStrictEqual({ feeds: [] });
    expect(fromConfigMessage(undefined)).toEqual({});
  });

  it.each([250, '.price', 'network_idle'])('keeps the condition to wait for %p', (waitFor) => {
    expect(fromConfigMessage(overTheWire(toConfigMessage({ wait_for: waitFor })))).toEqual({ wait_for: waitFor });
  });

  it('leaves out stored keys and values that the catalogue does not accept any more', () => {
    const stored = { max_pages: 5, max_pagez: 5, device: 'watch' };
    expect(fromConfigMessage(toConfigMessage(stored))).toEqual({ max_pages: 5 });
  });
});

describe('the message of a change', () => {
  it('sets keys and removes keys', () => {
    const change = { max_pages: 5, feeds: null };
    const sent = ConfigChange.decode(ConfigChange.encode(toConfigChange(change)).finish());
    expect(fromConfigChange(sent)).toEqual(change);
  });

  it.each([
    ['an unknown key', { max_pagez: 5 }, 'max_pagez'],
    ['a value of the wrong type', { max_pages: 'many' }, 'config.max_pages'],
  ])('is refused with %s, which the error names', (_, change, name) => {
    expect(() => toConfigChange(change)).toThrow(name);
  });

  it('is refused with metadata that are no JSON object', () => {
    const change = { set: { webhookMetadataJson: '[1]' }, removed: [] };
    expect(() => fromConfigChange(change)).toThrow('config.webhook_metadata: expected a JSON object');
  });
});
