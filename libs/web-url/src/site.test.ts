import { describe, expect, it } from '@jest/globals';
import { sameSite, siteOf } from './site.ts';

describe('siteOf', () => {
  it.each([
    ['https://www.example.co.uk/a', 'example.co.uk'],
    ['https://EXAMPLE.com./', 'example.com'],
    ['https://a.b.example.com:8080/', 'example.com'],
    ['https://alice.github.io/', 'alice.github.io'],
    ['https://x.alice.github.io/', 'alice.github.io'],
    ['https://github.io/', 'github.io'],
    ['https://www.bücher.example/', 'xn--bcher-kva.example'],
    ['http://127.0.0.1:9000/', '127.0.0.1'],
    ['http://[2606:4700::1111]/', '[2606:4700::1111]'],
    ['http://localhost/', 'localhost'],
    ['http://my_host.example.com/', 'example.com'],
  ])('returns for %s the site %s', (url, site) => {
    expect(siteOf(url)).toBe(site);
  });

  it('throws TypeError for text that is not an absolute URL', () => {
    expect(() => siteOf('example.com')).toThrow('Invalid URL');
  });
});

describe('sameSite', () => {
  it('is true across subdomains and schemes and false across private suffixes and IP addresses', () => {
    expect(sameSite('https://a.example.com/', new URL('http://b.example.com/'))).toBe(true);
    expect(sameSite('https://alice.github.io/', 'https://bob.github.io/')).toBe(false);
    expect(sameSite('http://10.0.0.1/', 'http://20.0.0.1/')).toBe(false);
    expect(sameSite('http://example.co.uk/', 'http://other.co.uk/')).toBe(false);
  });
});
