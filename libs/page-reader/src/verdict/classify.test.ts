import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import type { Classification, ClassifyInput } from './classification.ts';
import { classify } from './classify.ts';

function classified(html: string, more: Partial<ClassifyInput> = {}): Classification {
  const url = 'https://site.example/page';
  const { evidence } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
  return classify({
    httpStatus: 200,
    headers: {},
    evidence,
    requestedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
    ...more,
  });
}

const prose = `<p>${'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. '.repeat(4)}</p>`;
const site = (content: string): string =>
  `<header><nav>${'<a href="/x">Shop</a> '.repeat(10)}</nav></header><main>${content}</main><footer>Site Inc.</footer>`;

describe('classify', () => {
  it('returns ok and the signals of a page with content', () => {
    expect(classified(site(prose))).toMatchObject({
      verdict: 'ok',
      errorCode: 'OK',
      warnings: [],
      signals: ['nav', 'main', 'no script'],
      climb: false,
    });
  });

  it('returns thin with the warning short for a short page, and skipped below the floor', () => {
    expect(classified(site('<p>We are open from nine to five.</p>'))).toMatchObject({
      verdict: 'thin',
      errorCode: 'OK',
      warnings: ['short'],
    });
    expect(classified(site('<p>We are open from nine to five.</p>'), { minWords: 20 })).toMatchObject({
      verdict: 'skipped',
      errorCode: 'OK',
    });
  });

  it('classifies by status', () => {
    expect(classified(site(prose), { httpStatus: 404 })).toMatchObject({
      errorCode: 'NOT_FOUND',
      signals: ['http 404'],
    });
    expect(classified(site(prose), { httpStatus: 429 })).toMatchObject({
      errorCode: 'RATE_LIMITED',
      signals: ['http 429'],
    });
    expect(classified('<h1>Forbidden</h1>', { httpStatus: 403 })).toMatchObject({ errorCode: 'BLOCKED', climb: true });
    expect(classified('<h1>No</h1>', { httpStatus: 451 }).errorCode).toBe('GEO_RESTRICTED');
    expect(classified('<h1>Oh</h1>', { httpStatus: 502 }).errorCode).toBe('NETWORK');
  });

  it('returns NOT_FOUND for a page that says so in any of many languages', () => {
    for (const text of [
      'Page not found',
      'Seite nicht gefunden',
      'Página no encontrada',
      'ページが見つかりません',
      '404 - Oops',
    ]) {
      expect(classified(site(`<h1>${text}</h1><p>Try the search.</p>`))).toMatchObject({
        verdict: 'blocked',
        errorCode: 'NOT_FOUND',
        signals: ['soft 404'],
      });
    }
  });

  it('returns ok for an article about error pages, captchas or log-ins', () => {
    expect(
      classified(
        `<title>How to fix a 404 not found error</title>${site(`<h1>How to fix a 404 not found error</h1>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
    expect(
      classified(
        `<title>How captcha works</title>${site(`<h1>How captcha works</h1><p>verify you are human</p>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
    expect(
      classified(
        `<title>Boats</title>${site(`<form><input type=password><button>Log in</button></form>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
  });

  it('returns SHELL for an empty application that a browser may read, but not for a rendered one', () => {
    const shell =
      '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/app.js"></script>';
    expect(classified(shell)).toMatchObject({
      verdict: 'blocked',
      errorCode: 'SHELL',
      signals: ['app shell'],
      climb: true,
    });
    expect(classified(`${shell}<p>Two boats came in.</p>`, { rendered: true }).errorCode).toBe('OK');
  });

  it('returns ok for a server-rendered application', () => {
    const page = `<div id="__next">${site(prose)}</div><script id="__NEXT_DATA__">{}</script><script src="/_next/a.js"></script>`;
    expect(classified(page)).toMatchObject({ verdict: 'ok', errorCode: 'OK' });
  });

  it('names the widget of challenges and captchas and climbs to a browser', () => {
    expect(
      classified(
        '<title>Just a moment...</title><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><p>Checking your browser',
      ),
    ).toMatchObject({
      errorCode: 'CAPTCHA',
      widget: 'turnstile',
      climb: true,
    });
    expect(classified(site(prose), { httpStatus: 403, headers: { 'cf-mitigated': 'challenge' } }).errorCode).toBe(
      'CAPTCHA',
    );
  });

  it('returns LOGIN_REQUIRED for a page that only shows a log-in', () => {
    const page =
      '<title>Sign in - Site</title><h1>Sign in</h1><form><input type=email><input type=password><button>Log in</button></form><a href="/f">Forgot your password?</a>';
    expect(classified(page)).toMatchObject({
      verdict: 'blocked',
      errorCode: 'LOGIN_REQUIRED',
      signals: ['login form'],
    });
  });

  it('recognises a refusal and a failing server by a short page', () => {
    expect(classified('<title>Access Denied</title><h1>Access Denied</h1><p>Reference #18.2f</p>').errorCode).toBe(
      'BLOCKED',
    );
    expect(classified('<title>Error</title><h1>Service temporarily unavailable</h1>').errorCode).toBe('NETWORK');
  });
});
