import { describe, expect, it } from '@jest/globals';
import { urlKey } from './normalize-url.ts';
import { pageKeys } from './page-keys.ts';

const keysOf = (url: string): string[] => pageKeys(url).map((key) => key.toString('hex'));

describe('pageKeys', () => {
  it('has the key of the URL first, then its forms with the other slash and the other scheme', () => {
    expect(keysOf('https://example.com/a?q=1')).toEqual(
      [
        'https://example.com/a?q=1',
        'https://example.com/a/?q=1',
        'http://example.com/a?q=1',
        'http://example.com/a/?q=1',
      ].map((url) => urlKey(url)),
    );
  });

  it('has each key once, and none for a text that is no http or https URL', () => {
    expect(keysOf('https://example.com/')).toHaveLength(2);
    for (const text of ['not a url', '\r\nX-Evil: 1', 'mailto:a@example.com']) expect(keysOf(text)).toEqual([]);
  });
});
