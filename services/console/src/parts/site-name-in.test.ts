import { describe, expect, it } from '@jest/globals';
import { siteNameIn, withoutSiteName } from './site-name-in.ts';

describe('the name of a site in the titles of its pages', () => {
  it('is what most of them end in', () => {
    const name = siteNameIn(['Prices | Acme', 'About | Acme', 'News: May | Acme', 'Acme', null]);
    expect(name).toBe(' | Acme');
    expect(['Prices | Acme', 'Acme'].map((title) => withoutSiteName(title, name))).toEqual(['Prices', 'Acme']);
  });

  it('is not an ending that few titles share', () => {
    expect(siteNameIn(['Prices | Acme', 'About | Acme'])).toBe('');
    expect(siteNameIn(['One - Two', 'Three', 'Four', 'Five'])).toBe('');
    expect(withoutSiteName('Prices', '')).toBe('Prices');
  });
});
