import { describe, expect, it } from '@jest/globals';
import { readPage, USUAL_CONTENT } from '../content/read-page.ts';
import { judge } from './verdict.ts';
import { directiveWarnings, robotsDirectives } from './verdict-directives.ts';

describe('what a page asks of robots', () => {
  it('is in its headers and its meta element, each rule once', () => {
    expect(robotsDirectives({ 'x-robots-tag': ['NoIndex, noarchive'] }, 'noindex,NOFOLLOW')).toEqual([
      'noindex',
      'noarchive',
      'nofollow',
    ]);
    expect(robotsDirectives({}, undefined)).toEqual([]);
  });

  it('is ours where no robot is named, or we are; what is said to others is not', () => {
    expect(robotsDirectives({ 'x-robots-tag': 'googlebot: noindex, nofollow' }, '')).toEqual([]);
    expect(robotsDirectives({ 'x-robots-tag': ['googlebot: noindex', 'nofollow'] }, '')).toEqual(['nofollow']);
    expect(robotsDirectives({ 'x-robots-tag': 'otherbot: noindex, Tidemark: noarchive, nofollow' }, '')).toEqual([
      'noarchive',
      'nofollow',
    ]);
  });

  it('may have a value, and a date with a comma in it', () => {
    const header = 'unavailable_after: Wed, 25 Jun 2027 15:00:00 GMT, max-snippet: 20';
    expect(robotsDirectives({ 'x-robots-tag': header }, '')).toEqual([
      'unavailable_after: wed, 25 jun 2027 15:00:00 gmt',
      'max-snippet: 20',
    ]);
  });

  it('is bounded, whatever is sent', () => {
    const flood = Array.from({ length: 5_000 }, (_, n) => `rule${n}`).join(',');
    expect(robotsDirectives({ 'x-robots-tag': flood }, flood).length).toBeLessThanOrEqual(50);
  });

  it('becomes a warning where it keeps pages or links out; none is both', () => {
    expect(directiveWarnings(['noindex'])).toEqual(['noindex']);
    expect(directiveWarnings(['none'])).toEqual(['noindex', 'nofollow']);
    expect(directiveWarnings(['noarchive'])).toEqual([]);
  });

  it('is warned of on the page’s row, from every source', () => {
    const warnings = (html: string, headers = {}) => {
      const url = 'https://site.example/';
      const { evidence } = readPage({ html, url, content: USUAL_CONTENT, wants: new Set() });
      return judge({ httpStatus: 200, headers, evidence, askedUrl: url, landedUrl: url, rendered: false, minWords: 0 })
        .warnings;
    };
    const words = `<p>${'The harbour was quiet that morning. '.repeat(20)}</p>`;
    expect(warnings(`<meta name="robots" content="noindex">${words}`)).toEqual(['noindex']);
    expect(warnings(`<meta name="tidemark" content="nofollow">${words}`)).toEqual(['nofollow']);
    expect(warnings(words, { 'x-robots-tag': 'none' })).toEqual(['noindex', 'nofollow']);
    expect(warnings(`<meta name="googlebot" content="noindex">${words}`)).toEqual([]);
  });
});
