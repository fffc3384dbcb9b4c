import { describe, expect, it } from '@jest/globals';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { loginGone, sightOfLogin } from './login.ts';
import { captureKey } from './page-task.ts';

const row = (more: object = {}) => ({
  verdict: 'blocked',
  errorCode: 'LOGIN_REQUIRED',
  httpStatus: 200,
  signals: ['login form'],
  askedUrl: 'https://site.example/members/1',
  url: 'https://site.example/members/1',
  ...more,
});

describe('what a page says of the login it was read with', () => {
  it.each([
    ['asks', 'shows a log-in', row()],
    ['asks', 'led to one', row({ signals: [], url: 'https://site.example/login' })],
    ['asks', 'shows one with a 401', row({ httpStatus: 401 })],
    ['gone', 'was not fetched, as it is gone', row(loginGone())],
    ['works', 'was read', row({ verdict: 'ok', errorCode: 'OK', signals: [] })],
    ['nothing', 'answers a bare 401', row({ httpStatus: 401, signals: [] })],
    ['nothing', 'is a page to log in at', row({ askedUrl: 'https://site.example/login' })],
    ['nothing', 'is a document that wants a password', row({ signals: [] })],
    ['nothing', 'is blocked', row({ errorCode: 'BLOCKED', signals: ['http 403'] })],
  ])('%s: it %s', (sight, _, told) => {
    expect(sightOfLogin(told)).toBe(sight);
  });
});

describe('a saved login', () => {
  it('names its readings by itself: they stand for no other’s, and those of nobody keep their name', () => {
    const keys = ['', 'login_1', 'login_2'].map((loginId) => captureKey(toCaptureOptions(captureOptions({ loginId }))));
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe('Utc16_ahSUg5UMhC5chq8ZPWkM4');
  });
});
