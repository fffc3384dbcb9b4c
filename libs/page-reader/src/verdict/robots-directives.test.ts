import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import { classify } from './classify.ts';
import { directiveWarnings, robotsDirectives } from './robots-directives.ts';

describe('robotsDirectives', () => {
  it('reads headers and meta element, each rule once', () => {
    expect(robotsDirectives({ 'x-robots-tag': ['NoIndex, noarchive'] }, 'noindex,NOFOLLOW')).toEqual([
      'noindex',
      'noarchive',
      'nofollow',
    ]);
    expect(robotsDirectives({}, undefined)).toEqual([]);
  });

  it("applies rules without a robot's name or with our name, and ignores those for other robots", () => {
    expect(robotsDirectives({ 'x-robots-tag': 'googlebot: noindex, nofollow' }, '')).toEqual([]);
    expect(robotsDirectives({ 'x-robots-tag': ['googlebot: noindex', 'nofollow'] }, '')).toEqual(['nofollow']);
    expect(robotsDirectives({ 'x-robots-tag': 'otherbot: noindex, Tidemark: noarchive, nofollow' }, '')).toEqual([
      'noarchive',
      'nofollow',
    ]);
  });

  it('accepts values, and dates with a comma', () => {
    const header = 'unavailable_after: Wed, 25 Jun 2027 15:00:00 GMT, max-snippet: 20';
    expect(robotsDirectives({ 'x-robots-tag': header }, '')).toEqual([
      'unavailable_after: wed, 25 jun 2027 15:00:00 gmt',
      'max-snippet: 20',
    ]);
  });

  it('limits the number of rules', () => {
    const flood = Array.from({ length: 5_000 }, (_, n) => `rule${n}`).join(',');
    expect(robotsDirectives({ 'x-robots-tag': flood }, flood).length).toBeLessThanOrEqual(50);
  });

  it('warns of noindex and nofollow; none is both', () => {
    expect(directiveWarnings(['noindex'])).toEqual(['noindex']);
    expect(directiveWarnings(['none'])).toEqual(['noindex', 'nofollow']);
    expect(directiveWarnings(['noarchive'])).toEqual([]);
  });

  it('adds warnings to the page row from every source', () => {
    const warnings = (html: string, headers = {}) => {
      const url = 'https://site.example/';
      const { evidence } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
      return classify({
        httpStatus: 200,
        headers,
        evidence,
        requestedUrl: url,
        landedUrl: url,
        rendered: false,
        minWords: 0,
      }).warnings;
    };
    const words = `<p>${'The harbour was quiet that morning. '.repeat(20)}</p>`;
    expect(warnings(`<meta name="robots" content="noindex">${words}`)).toEqual(['noindex']);
    expect(warnings(`<meta name="tidemark" content="nofollow">${words}`)).toEqual(['nofollow']);
    expect(warnings(words, { 'x-robots-tag': 'none' })).toEqual(['noindex', 'nofollow']);
    expect(warnings(`<meta name="googlebot" content="noindex">${words}`)).toEqual([]);
  });
});
