import { describe, expect, it } from '@jest/globals';
import { findWallMarkers } from './wall-markers.ts';
import { literalPrefixesOf } from './word-search.ts';

const padded = (mark: string): string => `${'var x = "challenge of a captcha";'.repeat(40)}${mark}${' { }'.repeat(99)}`;

describe('findWallMarkers', () => {
  it.each([
    ['https://challenges.cloudflare.com/turnstile/v0/api.js', 'turnstile'],
    ['HTTPS://HCAPTCHA.COM/1/api.js', 'hcaptcha'],
    ['grecaptcha.execute("k")', 'recaptcha'],
    ['initGeetest({})', 'geetest'],
    ['CaptchaEU', 'captcha-eu'],
    ['errors/validateCaptcha', 'amazon-captcha'],
  ])('finds %s as widget %s anywhere in a script', (mark, widget) => {
    for (let shift = 0; shift < 6; shift++)
      expect(findWallMarkers(padded(' '.repeat(shift) + mark), '').widgets).toContain(widget);
  });

  it.each([
    ['window._cf_chl_opt={}', 'cloudflare challenge'],
    ["var dd={'rt':'c'}", 'datadome'],
    ['/ips.js?x', 'kasada'],
    ['{"botDetection":1}', 'bot page'],
    ['reddit - human verification', 'reddit'],
  ])('finds %s as wall %s', (mark, wall) => {
    expect(findWallMarkers(mark, '').walls).toContain(wall);
    expect(findWallMarkers('', padded(mark)).walls).toContain(wall);
  });

  it('recognises frames by URL and title, and parking services by their scripts', () => {
    expect(findWallMarkers('', '\nframe:https://x.example/ a captcha\n').walls).toEqual(['captcha frame']);
    expect(findWallMarkers('src="//img1.wsimg.com/parking-lander/static/a.js"', '').parked).toBe(true);
  });

  it('finds nothing in an ordinary page', () => {
    expect(findWallMarkers(padded('reddit above.com'), ' #root .challenge')).toEqual({
      widgets: [],
      walls: [],
      parked: false,
    });
  });

  it('derives the literal prefixes that every match of a pattern starts with', () => {
    expect(literalPrefixesOf(/a\.b(?:x|y)|\nframe:.*z|plain|colou?r/)).toEqual(['a.b', '\nframe:', 'plain', 'colo']);
  });
});
