import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import type { Classification, ClassifyInput } from './classification.ts';
import { classify } from './classify.ts';

const REQUESTED_URL = 'https://site.example/page';

function classified(html: string, more: Partial<ClassifyInput> = {}): Classification {
  const { evidence } = readPage({ html, url: REQUESTED_URL, content: USUAL_CONTENT, outputs: new Set() });
  const usual = {
    httpStatus: 200,
    headers: {},
    requestedUrl: REQUESTED_URL,
    landedUrl: REQUESTED_URL,
    rendered: false,
    minWords: 0,
  };
  return classify({ ...usual, evidence, ...more });
}

const prose = (times: number): string =>
  `<p>${'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. '.repeat(times)}</p>`;
const site = (content: string): string =>
  `<header><nav>${'<a href="/x">Shop</a> '.repeat(10)}</nav></header><main>${content}</main><footer>Site Inc.</footer>`;

describe('bot wall', () => {
  it.each([
    ['recaptcha', '<div class="g-recaptcha" data-sitekey="k"></div>'],
    ['hcaptcha', '<script src="https://hcaptcha.com/1/api.js"></script>'],
    ['turnstile', '<div class="cf-turnstile" data-sitekey="k"></div>'],
    ['datadome', '<script src="https://ct.captcha-delivery.com/c.js"></script>'],
    ['perimeterx', '<div id="px-captcha"></div>'],
    ['arkose', '<script src="https://client-api.arkoselabs.com/v2/k/api.js"></script>'],
    ['geetest', '<script>initGeetest({});</script>'],
    ['aws-waf-captcha', '<script src="https://k.captcha.awswaf.com/k/jsapi.js"></script>'],
    ['friendly-captcha', '<div class="frc-captcha" data-sitekey="k"></div>'],
    ['cloudflare challenge', '<script>window._cf_chl_opt={cvId:"3"};</script>'],
    ['kasada', '<script>window.KPSDK={};</script><script src="/149e/ips.js?x"></script>'],
    ['akamai', '<div id="sec-if-cpt-container"></div>'],
    ['imperva', '<iframe src="/_Incapsula_Resource?CWUDNSAI=1"></iframe>'],
    ['anubis', '<script id="anubis_challenge" type="application/json">{}</script>'],
    ['captcha frame', '<main><iframe title="Challenge" src="about:blank?captcha=required"></iframe></main>'],
  ])('is named by its own markers: %s', (widget, html) => {
    const found = classified(`<title>Please verify you are human</title>${html}`);
    expect(found).toMatchObject({ verdict: 'blocked', errorCode: 'CAPTCHA', widget, climb: true });
  });

  it.each([
    ['cloudflare challenge', { 'cf-mitigated': 'challenge' }],
    ['datadome', { 'x-datadome': 'test' }],
    ['aws waf', { 'x-amzn-waf-action': 'captcha' }],
    ['kasada', { 'x-kpsdk-ct': '0a1b' }],
    ['vercel', { 'x-vercel-mitigated': 'challenge' }],
  ])('is CAPTCHA if its headers announce a challenge: %s', (widget, headers) => {
    expect(classified('', { httpStatus: 403, headers })).toMatchObject({ errorCode: 'CAPTCHA', widget });
  });

  it.each([
    ['datadome', { 'set-cookie': ['a=1', 'datadome=x; path=/'] }],
    ['perimeterx', { 'set-cookie': '_px3=x; path=/' }],
    ['imperva', { 'set-cookie': 'incap_ses_7_1=x' }],
    ['akamai', { 'set-cookie': 'ak_bmsc=x' }],
    ['akamai', { server: 'AkamaiGHost' }],
    ['ddos-guard', { server: 'ddos-guard' }],
  ])('names a refusal by its cookies or server, and does not affect a page that was served: %s', (wall, headers) => {
    expect(classified('<h1>Forbidden</h1>', { httpStatus: 403, headers })).toMatchObject({
      errorCode: 'BLOCKED',
      widget: wall,
      signals: ['http 403', 'refused', wall],
    });
    const page = classified(site(prose(9)), { headers });
    expect(page).toMatchObject({ verdict: 'ok' });
    expect(page.widget).toBeUndefined();
  });

  it('is an ordinary refusal if it cannot be named', () => {
    const html = '<title>Just a moment...</title><h1>Checking your browser before accessing the site</h1>';
    expect(classified(html, { httpStatus: 403 })).toMatchObject({
      errorCode: 'BLOCKED',
      signals: ['http 403', 'challenge'],
    });
  });

  it('is recognised by the URL it redirects to', () => {
    const landedUrl = 'https://geo.captcha-delivery.com/captcha/?cid=1';
    expect(classified('<p>One step more', { landedUrl })).toMatchObject({ errorCode: 'CAPTCHA', widget: 'datadome' });
  });
});

describe('ordinary page', () => {
  it('is read if a form has a captcha, which is reported as widget', () => {
    const form =
      '<form><input name=name><input type=email><textarea></textarea><div class="g-recaptcha" data-sitekey="k"></div></form>';
    expect(classified(site(`<h1>Write to us</h1>${prose(9)}${form}`))).toMatchObject({
      verdict: 'ok',
      widget: 'recaptcha',
    });
    const short = classified(site(`<h1>Write to us</h1><p>Tick “I'm not a robot” and send.</p>${form}`));
    expect(short).toMatchObject({ verdict: 'thin', widget: 'recaptcha' });
  });

  it.each([
    'What Cloudflare means by "checking your browser"',
    'Why "verify you are human" pages fail',
    'How to design a 404 page not found',
    'Access denied: a history of the 403 error',
    'Too many requests: how rate limits work',
    'This domain is for sale: the parking business',
    'Sign in with Google, explained',
    'Site under maintenance: a guide',
  ])('is read if its subject is walls or errors: %s', (title) => {
    const html = `<title>${title}</title>${site(`<article><h1>${title}</h1>${prose(3).repeat(7)}</article>`)}`;
    expect(classified(html)).toMatchObject({ verdict: 'ok', errorCode: 'OK' });
  });

  it('requires no log-in for a log-in box beside its content, even if it is short', () => {
    const box =
      '<aside><form><input type=email><input type=password><button>Log in</button> <a href="/f">Forgot password?</a></form></aside>';
    expect(
      classified(
        `<title>Opening hours</title>${box}${site('<h1>Opening hours</h1><p>We open at nine and close at five on weekdays, and stay closed on Sundays and holidays.</p>')}`,
      ),
    ).toMatchObject({ verdict: 'thin', errorCode: 'OK' });
  });

  it('is read if it is a long dashboard full of numbers', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `<tr><td>Gauge ${n}</td><td>404</td><td>${n * 7} m³</td></tr>`);
    expect(classified(site(`<h1>Water levels</h1>${prose(2)}<table>${rows.join('')}</table>`)).errorCode).toBe('OK');
  });
});
