import { describe, expect, it } from '@jest/globals';
import { readPage, USUAL_CONTENT } from '../content/read-page.ts';
import { type JudgeInput, type Judgement, judge } from './verdict.ts';

function judged(html: string, more: Partial<JudgeInput> = {}): Judgement {
  const url = 'https://site.example/page';
  const { evidence } = readPage({ html, url, content: USUAL_CONTENT, wants: new Set() });
  return judge({
    httpStatus: 200,
    headers: {},
    evidence,
    askedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
    ...more,
  });
}

const prose = `<p>${'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. '.repeat(4)}</p>`;
const site = (content: string): string =>
  `<header><nav>${'<a href="/x">Shop</a> '.repeat(10)}</nav></header><main>${content}</main><footer>Site Inc.</footer>`;

describe('the verdict', () => {
  it('a page with content is ok and says what speaks for it', () => {
    expect(judged(site(prose))).toMatchObject({
      verdict: 'ok',
      errorCode: 'OK',
      warnings: [],
      signals: ['nav', 'main', 'no script'],
      climb: false,
    });
  });

  it('a short page is kept as thin, with the warning short; under the floor it is skipped', () => {
    expect(judged(site('<p>We are open from nine to five.</p>'))).toMatchObject({
      verdict: 'thin',
      errorCode: 'OK',
      warnings: ['short'],
    });
    expect(judged(site('<p>We are open from nine to five.</p>'), { minWords: 20 })).toMatchObject({
      verdict: 'skipped',
      errorCode: 'OK',
    });
  });

  it('statuses speak for themselves', () => {
    expect(judged(site(prose), { httpStatus: 404 })).toMatchObject({ errorCode: 'NOT_FOUND', signals: ['http 404'] });
    expect(judged(site(prose), { httpStatus: 429 })).toMatchObject({
      errorCode: 'RATE_LIMITED',
      signals: ['http 429'],
    });
    expect(judged('<h1>Forbidden</h1>', { httpStatus: 403 })).toMatchObject({ errorCode: 'BLOCKED', climb: true });
    expect(judged('<h1>No</h1>', { httpStatus: 451 }).errorCode).toBe('GEO_RESTRICTED');
    expect(judged('<h1>Oh</h1>', { httpStatus: 502 }).errorCode).toBe('NETWORK');
  });

  it('a page that says it was not found is a soft 404, in any of many languages', () => {
    for (const text of [
      'Page not found',
      'Seite nicht gefunden',
      'Página no encontrada',
      'ページが見つかりません',
      '404 - Oops',
    ]) {
      expect(judged(site(`<h1>${text}</h1><p>Try the search.</p>`))).toMatchObject({
        verdict: 'blocked',
        errorCode: 'NOT_FOUND',
        signals: ['soft 404'],
      });
    }
  });

  it('an article about error pages, captchas or log-ins is ok', () => {
    expect(
      judged(
        `<title>How to fix a 404 not found error</title>${site(`<h1>How to fix a 404 not found error</h1>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
    expect(
      judged(
        `<title>How captcha works</title>${site(`<h1>How captcha works</h1><p>verify you are human</p>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
    expect(
      judged(
        `<title>Boats</title>${site(`<form><input type=password><button>Log in</button></form>${prose.repeat(8)}`)}`,
      ).verdict,
    ).toBe('ok');
  });

  it('an empty application is a shell that a browser may read; a rendered one is not', () => {
    const shell =
      '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/app.js"></script>';
    expect(judged(shell)).toMatchObject({
      verdict: 'blocked',
      errorCode: 'SHELL',
      signals: ['app shell'],
      climb: true,
    });
    expect(judged(`${shell}<p>Two boats came in.</p>`, { rendered: true }).errorCode).toBe('OK');
  });

  it('a server-rendered application is no shell', () => {
    const page = `<div id="__next">${site(prose)}</div><script id="__NEXT_DATA__">{}</script><script src="/_next/a.js"></script>`;
    expect(judged(page)).toMatchObject({ verdict: 'ok', errorCode: 'OK' });
  });

  it('challenges and captchas name their widget and ask for a browser', () => {
    expect(
      judged(
        '<title>Just a moment...</title><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><p>Checking your browser',
      ),
    ).toMatchObject({
      errorCode: 'CAPTCHA',
      widget: 'turnstile',
      climb: true,
    });
    expect(judged(site(prose), { httpStatus: 403, headers: { 'cf-mitigated': 'challenge' } }).errorCode).toBe(
      'CAPTCHA',
    );
  });

  it('a page that only asks who is reading needs a log-in', () => {
    const page =
      '<title>Sign in - Site</title><h1>Sign in</h1><form><input type=email><input type=password><button>Log in</button></form><a href="/f">Forgot your password?</a>';
    expect(judged(page)).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', signals: ['login form'] });
  });

  it('a refusal and a failing server are told from a short page', () => {
    expect(judged('<title>Access Denied</title><h1>Access Denied</h1><p>Reference #18.2f</p>').errorCode).toBe(
      'BLOCKED',
    );
    expect(judged('<title>Error</title><h1>Service temporarily unavailable</h1>').errorCode).toBe('NETWORK');
  });
});
