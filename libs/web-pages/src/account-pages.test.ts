import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_PAGES, renderAccountPage } from './account-pages.ts';
import { accountFiles, accountPages, consentPage, storedPage } from './index.ts';

const documents = [
  ...accountPages('account').byName,
  ...accountPages('console').byName,
  ['missing', accountPages('console').missing] as const,
  ...(['consent', 'unknown-client', 'invalid-request'] as const).map((name) => [name, consentPage(name)] as const),
];

describe('the built pages of accounts', () => {
  it.each(documents)(
    '%s has no inline code and no inline style, and loads its script and its style only',
    (_, page) => {
      expect([...page.matchAll(/<script\b[^>]*>[^<]*<\/script>/g)].map(([script]) => script)).toEqual([
        '<script type="module" src="/auth/pages.js"></script>',
      ]);
      expect(page).not.toMatch(/\son\w+=|\sstyle=|<style|javascript:/);
      const links = [...page.matchAll(/<link rel="(\w+)" href="([^":]*)/g)].map(([, rel, href]) => [rel, href]);
      expect(links).toEqual([
        ['icon', 'data'],
        ['stylesheet', '/auth/pages.css'],
      ]);
      expect(page).toContain('<noscript>');
    },
  );

  it('lead to the console after a sign-in where it is served, and to the account elsewhere', () => {
    const [own, console] = [accountPages('account').byName, accountPages('console').byName];
    expect(own.get('login')).toContain('data-home="/auth/account"');
    expect(console.get('login')).toContain('data-home="/"');
    expect(own.get('account')).not.toContain('Open the console');
    expect(console.get('account')).toContain('<a href="/">Open the console</a>');
  });

  it('escape their texts', () => {
    const page = renderAccountPage('login', { ...ACCOUNT_PAGES.login, title: '<b>"' }, 'account');
    expect(page).toContain('<h1>&lt;b&gt;&quot;</h1>');
  });
});

describe('the built scripts', () => {
  it.each([
    ['of the pages of accounts', accountFiles.script],
    ['of the stored page', storedPage.script],
  ])('%s name no other origin, and write no markup', (_, script) => {
    expect(script).not.toMatch(
      /https?:\/\/(?!www\.w3\.org)|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
    );
  });

  it('of the stored page can not end its element, and begins no comment in it', () => {
    expect(storedPage.script).not.toMatch(/<\/script|<!--/i);
    expect(storedPage.style).not.toMatch(/<\/style|<!--/i);
  });
});
