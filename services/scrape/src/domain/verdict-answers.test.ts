import { describe, expect, it } from '@jest/globals';
import { readPage, USUAL_CONTENT } from '../content/read-page.ts';
import { type JudgeInput, type Judgement, judge } from './verdict.ts';

const URL_ASKED = 'https://site.example/shop/page';

function judged(html: string, more: Partial<JudgeInput> = {}): Judgement {
  const { evidence } = readPage({ html, url: URL_ASKED, content: USUAL_CONTENT, wants: new Set() });
  const usual = {
    httpStatus: 200,
    headers: {},
    askedUrl: URL_ASKED,
    landedUrl: URL_ASKED,
    rendered: false,
    minWords: 0,
  };
  return judge({ ...usual, evidence, ...more });
}

const prose = `<p>${'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. '.repeat(12)}</p>`;
const site = (content: string): string =>
  `<header><nav>${'<a href="/x">Shop</a> '.repeat(10)}</nav></header><main>${content}</main><footer>Site Inc.</footer>`;

describe('a soft 404', () => {
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
  ])('is told in the language of its site: %s', (text) => {
    expect(judged(site(`<h1>${text}</h1>`))).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NOT_FOUND',
      climb: false,
    });
  });

  it.each(['Not Found', '404 page not found', 'Cannot GET /shop/page', 'File not found.'])(
    'is told by a bare sentence of its server: %s',
    (text) => expect(judged(text).errorCode).toBe('NOT_FOUND'),
  );

  it('that is not certain is a page with the signal soft404?', () => {
    expect(
      judged(site(`<h1>Boats</h1><p>No such product could be found? Page not found? Ask us.</p>${prose}`)),
    ).toMatchObject({
      verdict: 'ok',
      signals: expect.arrayContaining(['soft404?']),
    });
    expect(judged(site(prose), { landedUrl: 'https://site.example/' }).signals).toContain('soft404?');
    expect(judged(site(prose)).signals).not.toContain('soft404?');
  });
});

describe('a site that asks to come back later', () => {
  it.each([429, 503])('by a %d with Retry-After is rate limited, and the wait is told', (httpStatus) => {
    expect(judged('Service unavailable', { httpStatus, headers: { 'retry-after': '120' } })).toMatchObject({
      errorCode: 'RATE_LIMITED',
      signals: [`http ${httpStatus}`, 'retry after 120 s'],
      reason: `the site answered ${httpStatus}, to be asked again after 120 s`,
      climb: false,
    });
  });

  it('by a date waits until it, counted from the answer’s own', () => {
    const headers = { date: 'Sat, 01 Aug 2026 10:00:00 GMT', 'retry-after': 'Sat, 01 Aug 2026 10:01:30 GMT' };
    expect(judged('', { httpStatus: 429, headers }).signals).toContain('retry after 90 s');
    expect(judged('', { httpStatus: 429, headers: { 'retry-after': 'soon' } }).signals).toEqual(['http 429']);
  });

  it.each([200, 403, 503])('in words under a %d is rate limited', (httpStatus) => {
    for (const text of ['Too Many Requests', 'You are being rate limited', 'Zu viele Anfragen', '请求过于频繁'])
      expect(judged(`<h1>${text}</h1>`, { httpStatus })).toMatchObject({ errorCode: 'RATE_LIMITED', climb: false });
  });

  it('for maintenance is down, whether it says when it is back or not', () => {
    const html = '<title>Maintenance</title><h1>We’ll be right back</h1><p>We are down for scheduled maintenance.</p>';
    for (const more of [{}, { httpStatus: 503 }, { httpStatus: 503, headers: { 'retry-after': '600' } }])
      expect(judged(html, more)).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });
});

describe('an answer that is no page', () => {
  it.each([
    'This content is not available in your country',
    'Dieser Inhalt ist in Ihrem Land nicht verfügbar',
    'Ce contenu n’est pas disponible dans votre pays',
    'Este contenido no está disponible en tu país',
    'お住まいの地域ではご利用いただけません',
    '您所在的地区无法观看此内容',
  ])('is a refusal of the place where it says so: %s', (text) => {
    expect(judged(site(`<h1>${text}</h1>`))).toMatchObject({ errorCode: 'GEO_RESTRICTED', climb: false });
  });

  it('of a parked domain or a suspended account is no site', () => {
    expect(judged('<h1>boats.example is for sale</h1><p>This domain is for sale. Buy this domain.</p>')).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NETWORK',
      signals: ['parked domain'],
    });
    expect(judged('<script src="https://img1.wsimg.com/parking-lander/static/js/main.js"></script>')).toMatchObject({
      signals: ['parked domain'],
    });
    expect(judged('<title>Account Suspended</title><p>This account has been suspended.</p>')).toMatchObject({
      errorCode: 'NETWORK',
      signals: ['suspended'],
    });
  });

  it('of nothing at all is no page, and one that even a browser finds empty is a shell', () => {
    expect(judged('')).toMatchObject({ verdict: 'blocked', errorCode: 'NETWORK', signals: ['empty'], climb: false });
    expect(judged('<div id="root"></div><script src="/a.js"></script>', { rendered: true })).toMatchObject({
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
  ])('of an error under 200 is a failure of the server: %s', (text) => {
    expect(judged(text)).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });

  it.each([500, 502, 503, 520])('of a %d is a failure, never a page', (httpStatus) => {
    expect(judged(site(prose), { httpStatus })).toMatchObject({ errorCode: 'NETWORK', climb: false });
  });

  it('of a 401 needs a log-in, whatever it shows', () => {
    expect(judged(site(prose), { httpStatus: 401 })).toMatchObject({ errorCode: 'LOGIN_REQUIRED', climb: false });
  });

  it('of a redirect by meta or of frames is read by a browser', () => {
    expect(judged('<meta http-equiv="refresh" content="0; url=/there"><p>Moved')).toMatchObject({
      errorCode: 'SHELL',
      signals: ['meta refresh'],
      climb: true,
    });
    expect(judged('<html><frameset cols="20%,80%"><frame src="/a"><frame src="/b"></frameset></html>')).toMatchObject({
      errorCode: 'SHELL',
      signals: ['frameset'],
      climb: true,
    });
    expect(judged(`<meta http-equiv="refresh" content="300">${site(prose)}`).verdict).toBe('ok');
  });
});
