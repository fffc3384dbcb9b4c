import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type OutputFormat, type PageReading, readPage } from '../page/read-page.ts';

const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml']);
const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';
const read = (html: string, removeBanners = true, onlyMainContent = false): PageReading =>
  readPage({
    html,
    url: 'https://site.example/',
    content: { ...USUAL_CONTENT, onlyMainContent, removeBanners },
    outputs: ALL,
  });
const withBanner = (banner: string): string => `<main><h1>Boats</h1>${prose.repeat(6)}</main>${banner}`;
const PROMPT = 'We value your privacy. MARK uses cookies to improve your visit. <button>Accept all</button>';

const VENDORS: readonly string[] = [
  '<div id="onetrust-consent-sdk"><div role="region">',
  '<div id="CybotCookiebotDialog">',
  '<div id="didomi-host">',
  '<div class="qc-cmp2-container">',
  '<div id="usercentrics-root">',
  '<div id="truste-consent-track">',
  '<div id="iubenda-cs-banner">',
  '<div class="cky-consent-container cky-box-bottom-left">',
  '<div id="cmplz-cookiebanner-container">',
  '<div class="osano-cm-window">',
  '<div class="cc-window cc-banner cc-type-info">',
  '<div id="klaro">',
  '<div id="sp_message_container_123">',
];

const GENERIC: readonly string[] = [
  `<div class="cookie-banner">${PROMPT}</div>`,
  `<div id="cookieConsent">${PROMPT}</div>`,
  `<section class="gdpr-notice bottom">${PROMPT}</section>`,
  `<div role="dialog" aria-modal="true">${PROMPT}</div>`,
  `<div style="position: fixed; bottom: 0">${PROMPT}</div>`,
  '<div role="dialog">MARK: Diese Seite verwendet Cookies. Mit Ihrer Einwilligung …</div>',
  '<div role="alertdialog">MARK : nous utilisons des cookies avec votre consentement</div>',
  '<div role="dialog">MARK このサイトではクッキーを使用しています</div>',
  '<div class="newsletter-popup">MARK Get our letters, every week, for free. <input type="email"></div>',
  '<div id="app-download-banner">MARK is better in the app</div>',
  '<div class="paywall-overlay">MARK Become a member to read on</div>',
  '<div role="dialog">MARK Sign up to our newsletter and save <input type="email"></div>',
];

describe('remove_banners', () => {
  it('removes the notices of known consent tools, also from the whole page', () => {
    for (const opening of VENDORS) {
      const html = withBanner(`${opening}<p>MARK consent</p></div>`);
      for (const onlyMainContent of [true, false]) {
        const { text, markdown, cleanHtml } = read(html, true, onlyMainContent);
        for (const form of [text, markdown, cleanHtml]) {
          expect([opening, form?.includes('MARK')]).toEqual([opening, false]);
          expect(form).toContain('The harbour');
        }
      }
    }
  });

  it('removes notices and overlays that sites write themselves, in several languages', () => {
    for (const banner of GENERIC)
      expect([banner, read(withBanner(banner)).text?.includes('MARK')]).toEqual([banner, false]);
  });

  it('keeps banners if it is false', () => {
    for (const banner of GENERIC) expect(read(withBanner(banner), false).text).toContain('MARK');
    for (const opening of VENDORS) expect(read(withBanner(`${opening}<p>MARK</p>`), false).text).toContain('MARK');
  });

  it('keeps an article about cookies and consent, whatever the names of its boxes', () => {
    const about = `<p>MARK: a cookie is a small file. The GDPR asks for consent before cookies are set, and cookie banners ask for it.</p>`;
    const pages = [
      `<article class="cookie-policy"><h1>Cookie policy</h1>${about.repeat(12)}</article>`,
      `<div id="cookie-notice"><h1>Cookie notice</h1>${about.repeat(12)}</div>`,
      `<div class="privacy-settings-info">${about.repeat(20)}</div>`,
      `<article>${prose}<div class="cookie-banner">${about}</div>${prose}</article>`,
      `<main><h1>How cookies work</h1>${about.repeat(5)}<pre class="cookie-banner">MARK &lt;div id="onetrust-consent-sdk"&gt;</pre></main>`,
      `<main><h2 class="consent-banner">MARK: consent banners</h2>${about.repeat(3)}</main>`,
      `<div role="dialog" class="app"><main><h1>Cookies</h1>${about.repeat(10)}</main></div>`,
      `<main>${prose.repeat(6)}<div role="dialog"><h3>MARK</h3><p>Help with homework. Sign up on Mondays at the office.</p><button>Close</button></div></main>`,
      `<main>${prose.repeat(6)}<div class="awards_app_banner_event">MARK winners of the year</div></main>`,
      `<main><div class="welcome-banner">MARK Welcome to the harbour</div>${prose.repeat(6)}</main>`,
      `<div style="position:sticky"><article>${about.repeat(10)}</article></div>`,
    ];
    for (const html of pages) {
      for (const onlyMainContent of [true, false]) {
        const kept = read(html, false, onlyMainContent);
        expect([html.slice(0, 60), read(html, true, onlyMainContent).text]).toEqual([html.slice(0, 60), kept.text]);
        expect(read(html).text).toContain('MARK');
      }
    }
  });
});
