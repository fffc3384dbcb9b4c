import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { addRouteOptions, routeFields, settingsOfRoute } from '../src/route-options.ts';

const OWN = { url: '[url]' } as const;

/** Returns the fields of a crawl that words of a command line state. */
function parsed(...words: string[]): Record<string, unknown> {
  const command = addRouteOptions(new Command('crawl').argument('<url>'), 'POST /crawl', OWN).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  command.parse(['https://a.example/', ...words], { from: 'user' });
  return routeFields(command, 'POST /crawl', OWN);
}

describe('an option of a field of the contract', () => {
  it('is read to the type of the field, under its name; fields without an option are left out', () => {
    expect(parsed()).toEqual({});
    const given = [
      '--delay',
      '200',
      '--include-paths',
      '/a/**,/b',
      '--sitemap-mode',
      'skip',
      '--webhook',
      '{"url":"https://b.example/"}',
    ];
    expect(parsed(...given)).toEqual({
      delay: 200,
      includePaths: ['/a/**', '/b'],
      sitemapMode: 'skip',
      webhook: { url: 'https://b.example/' },
    });
  });

  it('that is true or false is stated by its name, and by its name after no-', () => {
    expect(parsed('--allow-subdomains', '--no-respect-robots')).toEqual({
      allowSubdomains: true,
      respectRobots: false,
    });
    expect(parsed('--no-allow-subdomains', '--respect-robots')).toEqual({
      allowSubdomains: false,
      respectRobots: true,
    });
  });

  it.each([
    ['--delay', '-1'],
    ['--concurrency', '0'],
    ['--sitemap-mode', 'none'],
    ['--webhook', 'https://b.example/'],
  ])('is refused with a value that the field does not accept: %s %s', (...words) => {
    expect(() => parsed(...words)).toThrow();
  });
});

describe('KEY=VALUE settings of a route', () => {
  it('are texts where the field is text, lists of words where it is a list, and otherwise JSON', () => {
    const pairs = ['table=2026', 'projects=prj_1,prj_2', 'columns=["url"]', 'automatic=true', 'shape=null', 'other=5'];
    expect(settingsOfRoute('POST /destinations', pairs)).toEqual({
      table: '2026',
      projects: ['prj_1', 'prj_2'],
      columns: ['url'],
      automatic: true,
      shape: null,
      other: 5,
    });
  });

  it('are reset by null, also where the field is text', () => {
    expect(settingsOfRoute('PATCH /projects/{id}', ['reference=null'])).toEqual({ reference: null });
  });
});
