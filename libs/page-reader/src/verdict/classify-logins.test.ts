import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import { classify } from './classify.ts';

const url = 'https://site.example/page';

function codeOf(html: string, httpStatus = 200): string {
  const { evidence } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
  const { verdict, errorCode } = classify({
    httpStatus,
    headers: {},
    evidence,
    requestedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
  });
  return errorCode === 'OK' ? verdict : errorCode;
}

const script = '<script type="module" src="/assets/index-4f2a.js"></script>';
const words = (count: number): string => 'The harbour was quiet and the boats hardly moved. '.repeat(count / 9);
const links = (count: number): string => '<a href="/x">Harbour news today</a> '.repeat(count);

describe('log-in page', () => {
  it.each([
    [
      'a password field and little else, in any language',
      '<form><p>Kirjaudu</p><input name="t"><input type="password"><button>Jatka</button></form>',
    ],
    [
      'a field for the name of an account as the first step',
      '<h1>Harbour</h1><form><input autocomplete="username webauthn"><button>Next</button></form>',
    ],
    [
      'a password field that is hidden until the first step is done',
      '<h1>Harbour</h1><form><input name="email" type="email"><input type="password" hidden><button>Next</button></form>',
    ],
    ['its title only, because scripts fill it', `<title>Sign in - Harbour</title><div id="root"></div>${script}`],
    [
      'a form that is sent to the URL of a log-in',
      '<title>Log in</title><form action="/oauth/authorize"><button>Go</button></form>',
    ],
  ])('is recognised by %s', (_, html) => expect(codeOf(html)).toBe('LOGIN_REQUIRED'));

  it.each([
    [
      'content with a log-in box in a dialog',
      `<main><h1>Interview</h1><p>${words(45)}</p></main><div class="box"><form>Username <input name="user">Password
      <input type="password"> Remember me <a href="/lost">Forgot your password?</a><button>Log in</button></form></div>
      <footer>${links(90)}</footer>`,
      'thin',
    ],
    [
      'a long page with a log-in box whose title has a question about a log-in',
      `<title>Question about login buttons for the ferry - Harbour</title><main><h1>Question about login buttons for the ferry</h1>
      <p>${words(108)}</p></main><form>Username <input name="user">Password <input type="password"> Remember me
      <button>Log in</button></form><ul>${'<li>Cargo of the day</li>'.repeat(60)}</ul>`,
      'ok',
    ],
    [
      'a refusal that offers a log-in',
      '<h1>Access denied</h1><p>You do not have permission. <a href="/login">Log in</a></p>',
      'BLOCKED',
    ],
    [
      'a contact form',
      '<h1>Contact us</h1><form><input name="name"><input name="city"><input type="email"><textarea></textarea></form>',
      'thin',
    ],
  ])('is not %s', (_, html, expected) => expect(codeOf(html)).toBe(expected));

  it('is not a 403 that offers a log-in', () => {
    expect(codeOf('<title>403 Forbidden</title><h1>403 Forbidden</h1><p>Please log in to continue.</p>', 403)).toBe(
      'BLOCKED',
    );
  });
});

describe('application shell', () => {
  it.each([
    ['an empty box with any id', `<div id="harbour-client"></div><footer>Harbour 2026</footer>${script}`],
    ['an empty custom element', `<harbour-app></harbour-app><div>Harbour planning tool</div>${script}`],
    [
      'an empty main element between site chrome',
      `<header><nav>${links(20)}</nav></header><main></main><footer>${links(10)}</footer>${script}`,
    ],
    [
      'a sentence in noscript, in any language',
      `<div>Harbour</div><noscript>Ohjelma ei toimi ilman komentosarjoja.</noscript>${script}`,
    ],
    ['a few words that end in an ellipsis', `<div>Harbour is starting up...</div>${script}`],
  ])('is recognised by %s', (_, html) => expect(codeOf(html)).toBe('SHELL'));

  it.each([
    [
      'a short page with scripts',
      `<h1>Harbour</h1><p>Open daily from nine to five, closed in winter.</p><div id="fb-root"></div>${script}`,
      'thin',
    ],
    [
      'a page whose main element shows a picture',
      `<header><nav>${links(20)}</nav></header><main><img src="/map.png"></main>${script}`,
      'ok',
    ],
    [
      'a page whose noscript holds styles only',
      `<h1>Harbour</h1><div>Open today until half past nine</div><noscript><style>.a{display:none}</style></noscript>${script}`,
      'thin',
    ],
  ])('is not %s', (_, html, expected) => expect(codeOf(html)).toBe(expected));
});
