import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import type { Classification, ClassifyInput } from './classification.ts';
import { classify } from './classify.ts';

const REQUESTED_URL = 'https://site.example/shop/page';

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

const prose = `<p>${'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. '.repeat(12)}</p>`;
const site = (content: string): string =>
  `<header><nav>${'<a href="/x">Shop</a> '.repeat(10)}</nav></header><main>${content}</main><footer>Site Inc.</footer>`;

describe('soft 404', () => {
  it.each([
    'Sorry, the page you are looking for could not be found',
    'This page isn’t available',
    'Diese Seite existiert leider nicht mehr',
    'La page demandée est introuvable',
    'Lo sentimos, la página que buscas no existe',
    'Página não encontrada',
    'La pagina richiesta non è stata trovata',
    'Deze pagina bestaat niet',
    'Sidan kunde inte hittas',
    'Siden ble ikke funnet',
    'Sivua ei löytynyt',
    'Strona o podanym adresie nie istnieje',
    'Stránka nebyla nalezena',
    'A keresett oldal nem található',
    'Pagina nu a fost găsită',
    'Aradığınız sayfa bulunamadı',
    'Страница не существует',
    'Сторінку не знайдено',
    'Η σελίδα δεν βρέθηκε',
    'הדף המבוקש לא נמצא',
    'الصفحة المطلوبة غير موجودة',
    'صفحه مورد نظر یافت نشد',
    'पेज नहीं मिला',
    'ไม่พบหน้าที่คุณต้องการ',
    'Không tìm thấy trang',
    'Halaman tidak ditemukan',
    'お探しのページは見つかりませんでした',
    '您访问的页面不存在',
    '該頁面已被刪除',
    '요청하신 페이지를 찾을 수 없습니다',
  ])('is recognised in the language of the site: %s', (text) => {
    expect(classified(site(`<h1>${text}</h1>`))).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NOT_FOUND',
      climb: false,
    });
  });

  it.each(['Not Found', '404 page not found', 'Cannot GET /shop/page', 'File not found.'])(
    'is recognised by the bare message of a server: %s',
    (text) => expect(classified(text).errorCode).toBe('NOT_FOUND'),
  );

  it('is only a signal, soft404?, if it is not certain', () => {
    expect(
      classified(site(`<h1>Boats</h1><p>No such product could be found? Page not found? Ask us.</p>${prose}`)),
    ).toMatchObject({
      verdict: 'ok',
      signals: expect.arrayContaining(['soft404?']),
    });
    expect(classified(site(prose), { landedUrl: 'https://site.example/' }).signals).toContain('soft404?');
    expect(classified(site(prose)).signals).not.toContain('soft404?');
  });
});

describe('temporary refusal', () => {
  it.each([429, 503])('is RATE_LIMITED for a %d with Retry-After, and the wait is reported', (httpStatus) => {
    expect(classified('Service unavailable', { httpStatus, headers: { 'retry-after': '120' } })).toMatchObject({
      errorCode: 'RATE_LIMITED',
      signals: [`http ${httpStatus}`, 'retry after 120 s'],
      reason: `the site answered ${httpStatus}, retry after 120 s`,
      climb: false,
    });
  });

  it('computes a Retry-After date relative to the Date header', () => {
    const headers = { date: 'Sat, 01 Aug 2026 10:00:00 GMT', 'retry-after': 'Sat, 01 Aug 2026 10:01:30 GMT' };
    expect(classified('', { httpStatus: 429, headers }).signals).toContain('retry after 90 s');
    expect(classified('', { httpStatus: 429, headers: { 'retry-after': 'soon' } }).signals).toEqual(['http 429']);
  });

  it.each([200, 403, 503])('is RATE_LIMITED if the page of a %d says so', (httpStatus) => {
    for (const text of ['Too Many Requests', 'You are being rate limited', 'Zu viele Anfragen', '请求过于频繁'])
      expect(classified(`<h1>${text}</h1>`, { httpStatus })).toMatchObject({ errorCode: 'RATE_LIMITED', climb: false });
  });

  it('is NETWORK during maintenance, with and without Retry-After', () => {
    const html = '<title>Maintenance</title><h1>We’ll be right back</h1><p>We are down for scheduled maintenance.</p>';
    for (const more of [{}, { httpStatus: 503 }, { httpStatus: 503, headers: { 'retry-after': '600' } }])
      expect(classified(html, more)).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });
});

describe('shape', () => {
  it('is form for two fields and a button, however few words the page has', () => {
    const form = '<form><input name="depth"><input name="length"><button>Go on</button></form>';
    expect(classified(`<title>Depths</title>${form}`)).toMatchObject({ verdict: 'thin', shape: 'form' });
    expect(classified('<title>Depths</title><p>Soon here</p>')).toMatchObject({ shape: 'empty' });
  });
});

describe('response without a page', () => {
  it.each([
    'This content is not available in your country',
    'Dieser Inhalt ist in Ihrem Land nicht verfügbar',
    'Ce contenu n’est pas disponible dans votre pays',
    'Este contenido no está disponible en tu país',
    'お住まいの地域ではご利用いただけません',
    '您所在的地区无法观看此内容',
  ])('is GEO_RESTRICTED if it says so: %s', (text) => {
    expect(classified(site(`<h1>${text}</h1>`))).toMatchObject({ errorCode: 'GEO_RESTRICTED', climb: false });
  });

  it('is NETWORK for a parked domain or a suspended account', () => {
    expect(
      classified('<h1>boats.example is for sale</h1><p>This domain is for sale. Buy this domain.</p>'),
    ).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NETWORK',
      signals: ['parked domain'],
    });
    expect(classified('<script src="https://img1.wsimg.com/parking-lander/static/js/main.js"></script>')).toMatchObject(
      {
        signals: ['parked domain'],
      },
    );
    expect(classified('<title>Account Suspended</title><p>This account has been suspended.</p>')).toMatchObject({
      errorCode: 'NETWORK',
      signals: ['suspended'],
    });
  });

  it('is SHELL with the shape empty if it is empty, with and without a browser', () => {
    for (const html of ['', ' \n', '<!doctype html><html><head></head><body></body></html>'])
      expect(classified(html)).toMatchObject({
        verdict: 'blocked',
        errorCode: 'SHELL',
        shape: 'empty',
        reason: 'the response is empty',
        signals: ['empty'],
        climb: false,
      });
    expect(classified('<div id="root"></div><script src="/a.js"></script>', { rendered: true })).toMatchObject({
      verdict: 'blocked',
      errorCode: 'SHELL',
      climb: false,
    });
  });

  it.each([
    'Fatal error: Uncaught Error: Call to undefined function in /var/www/index.php:3',
    'Traceback (most recent call last): File "app.py", line 1',
    'Error establishing a database connection',
    '{"error":"internal","trace":"x"}',
  ])('is NETWORK for an error page under status 200: %s', (text) => {
    expect(classified(text)).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });

  it.each([500, 502, 503, 520])('is NETWORK for a %d, never a page', (httpStatus) => {
    expect(classified(site(prose), { httpStatus })).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });

  it('is LOGIN_REQUIRED for a 401, whatever it contains', () => {
    expect(classified(site(prose), { httpStatus: 401 })).toMatchObject({ errorCode: 'LOGIN_REQUIRED', climb: false });
  });

  it('climbs to a browser for a meta refresh or frames', () => {
    expect(classified('<meta http-equiv="refresh" content="0; url=/there"><p>Moved')).toMatchObject({
      errorCode: 'SHELL',
      signals: ['meta refresh'],
      climb: true,
    });
    expect(
      classified('<html><frameset cols="20%,80%"><frame src="/a"><frame src="/b"></frameset></html>'),
    ).toMatchObject({
      errorCode: 'SHELL',
      signals: ['frameset'],
      climb: true,
    });
    expect(classified(`<meta http-equiv="refresh" content="300">${site(prose)}`).verdict).toBe('ok');
  });
});
