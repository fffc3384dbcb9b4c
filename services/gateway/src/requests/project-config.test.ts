import { describe, expect, it } from '@jest/globals';
import { copyableKeys } from './project-config.ts';

describe('copyableKeys', () => {
  it('returns the keys of the given groups', () => {
    expect(copyableKeys(['output']).sort()).toEqual(['formats', 'screenshot', 'store_html']);
    expect(copyableKeys(['output', 'scope'])).toEqual(expect.arrayContaining(['formats', 'max_pages']));
  });

  it('never returns keys that belong to one site', () => {
    const all = copyableKeys(['all']);
    expect(all).toEqual(expect.arrayContaining(['max_pages', 'render_js', 'min_words', 'store_html', 'webhook_url']));
    for (const key of ['url_list', 'feeds', 'include_paths', 'exclude_paths', 'cookies', 'login_id'])
      expect(all).not.toContain(key);
    expect(copyableKeys(['scope', 'fetch', 'content', 'output', 'advanced']).sort()).toEqual(all.sort());
  });
});
