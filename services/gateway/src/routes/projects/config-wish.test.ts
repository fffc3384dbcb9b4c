import { describe, expect, it } from '@jest/globals';
import { refuseMasked, toConfigJson, travellingKeys } from './config-wish.ts';

describe('configuration that is sent on', () => {
  it('is nothing where none came, which is not the same as an empty one', () => {
    expect([toConfigJson(undefined), toConfigJson({})]).toEqual(['', '{}']);
  });

  it('is refused by name where a masked value has nothing stored to stand for', () => {
    expect(() => refuseMasked({ chat_url: 'https://hooks.example/***' })).toThrow('config.chat_url');
    expect(() =>
      refuseMasked({ chat_url: 'https://hooks.example/a', webhook_url: 'https://a.example/***' }),
    ).not.toThrow();
    expect(() => refuseMasked(undefined)).not.toThrow();
  });
});

describe('configuration that travels between projects', () => {
  it('is that of the groups named', () => {
    expect(travellingKeys(['output']).sort()).toEqual(['formats', 'screenshot', 'store_html']);
    expect(travellingKeys(['output', 'scope'])).toEqual(expect.arrayContaining(['formats', 'max_pages']));
  });

  it('never holds what belongs to one site, whichever groups are named', () => {
    const all = travellingKeys(['all']);
    expect(all).toEqual(expect.arrayContaining(['max_pages', 'render_js', 'min_words', 'store_html', 'webhook_url']));
    for (const key of ['url_list', 'feeds', 'include_paths', 'exclude_paths', 'cookies', 'login_id'])
      expect(all).not.toContain(key);
    expect(travellingKeys(['scope', 'fetch', 'content', 'output', 'advanced']).sort()).toEqual(all.sort());
  });
});
