import { describe, expect, it } from '@jest/globals';
import { fromConfigMessage } from './config-message.ts';
import { copySetting, maskSecrets, rejectMasks, restoreSetting, toRunConfig } from './config-secrets.ts';
import { maskUrlTokens } from './masked-url.ts';

const CONFIG = {
  max_pages: 5,
  headers: { Authorization: 'Bearer s1', 'X-Acme-Ticket': 's2', 'accept-language': 'de', 'x-empty': '' },
  cookies: { sid: 's3' },
  webhook_url: 'https://ops.example/hooks/T04FAB/in?token=s4&v=',
  chat_url: 'https://hooks.slack.com/services/a/b/s5',
  actions: [
    { type: 'type', selector: '#mail', text: 'me@example.com' },
    { type: 'type', selector: '#password', text: 's6' },
    { type: 'press', key: 'Enter' },
  ],
};
const MASKED = {
  max_pages: 5,
  headers: { Authorization: '***', 'X-Acme-Ticket': '***', 'accept-language': 'de', 'x-empty': '' },
  cookies: { sid: '***' },
  webhook_url: 'https://ops.example/hooks/***/in?token=***&v=',
  chat_url: 'https://hooks.slack.com/***',
  actions: [
    { type: 'type', selector: '#mail', text: '***' },
    { type: 'type', selector: '#password', text: '***' },
    { type: 'press', key: 'Enter' },
  ],
};

const refusalOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

describe('maskSecrets', () => {
  it('masks all cookies, all headers without a known harmless name, the parts of URLs that may be tokens, and typed texts', () => {
    expect(maskSecrets(CONFIG)).toEqual(MASKED);
  });

  it('keeps null and settings that were not given', () => {
    expect(maskSecrets({ headers: null, cookies: {} })).toEqual({ headers: null, cookies: {} });
  });
});

describe('restoreSetting', () => {
  it.each(['headers', 'cookies', 'webhook_url', 'chat_url', 'actions'] as const)(
    'restores a masked %s to its stored value',
    (key) => {
      expect(restoreSetting(key, MASKED[key], CONFIG[key])).toEqual(CONFIG[key]);
    },
  );

  it('keeps the stored header under another case of its name, and takes over new values', () => {
    const sent = { authorization: '***', 'X-Acme-Ticket': 'new' };
    expect(restoreSetting('headers', sent, CONFIG.headers)).toEqual({
      authorization: 'Bearer s1',
      'X-Acme-Ticket': 'new',
    });
  });

  it.each([
    ['headers', { 'X-Other': '***' }, ['body', 'config', 'headers', 'X-Other']],
    ['cookies', { SID: '***' }, ['body', 'config', 'cookies', 'SID']],
    ['webhook_url', 'https://evil.example/hooks/***/in?token=***&v=', ['body', 'config', 'webhook_url']],
    ['webhook_url', 'https://ops.example/other/***/in?token=***&v=', ['body', 'config', 'webhook_url']],
    ['chat_url', 'https://evil.example/***', ['body', 'config', 'chat_url']],
    ['actions', [{ type: 'type', selector: '#search', text: '***' }], ['body', 'config', 'actions', 0, 'text']],
  ] as const)('refuses a mask in %s that is not the mask of the stored value', (key, sent, loc) => {
    const refused = { code: 'validation', httpStatus: 422, detail: [{ loc, type: 'masked' }] };
    expect(refusalOf(() => restoreSetting(key, sent, CONFIG[key]))).toMatchObject(refused);
    expect(refusalOf(() => restoreSetting(key, sent, undefined))).toMatchObject(refused);
  });
});

describe('rejectMasks', () => {
  it('refuses every mask in settings for which nothing is stored, with its place', () => {
    expect(refusalOf(() => rejectMasks(MASKED, ['config']))).toMatchObject({
      code: 'validation',
      httpStatus: 422,
      detail: [
        { loc: ['body', 'config', 'headers', 'Authorization'] },
        { loc: ['body', 'config', 'headers', 'X-Acme-Ticket'] },
        { loc: ['body', 'config', 'cookies', 'sid'] },
        { loc: ['body', 'config', 'webhook_url'] },
        { loc: ['body', 'config', 'chat_url'] },
        { loc: ['body', 'config', 'actions', 0, 'text'] },
        { loc: ['body', 'config', 'actions', 1, 'text'] },
      ],
    });
    expect(() => rejectMasks(CONFIG, ['config'])).not.toThrow();
    expect(() => rejectMasks(undefined, ['config'])).not.toThrow();
  });
});

describe('copySetting', () => {
  it('leaves the secrets of a site behind, and keeps those of the target', () => {
    const target = { 'x-own': 'own', 'accept-language': 'fr' };
    expect(copySetting('headers', CONFIG.headers, target)).toEqual({ 'accept-language': 'de', 'x-own': 'own' });
    expect(copySetting('headers', undefined, target)).toEqual({ 'x-own': 'own' });
    expect(copySetting('headers', undefined, undefined)).toBeUndefined();
    expect(copySetting('max_pages', 5, 9)).toBe(5);
  });
});

describe('toRunConfig', () => {
  it('separates the settings that contain secrets from the masked configuration', () => {
    const { max_pages: _, ...secrets } = CONFIG;
    const run = toRunConfig(CONFIG);
    expect(fromConfigMessage(run.config)).toEqual(MASKED);
    expect(fromConfigMessage(run.secrets)).toEqual(secrets);
    expect(toRunConfig({ max_pages: 5 })).toMatchObject({ config: { maxPages: 5 }, secrets: undefined });
  });
});

describe('maskUrlTokens', () => {
  it.each([
    ['https://ops.example', 'https://ops.example'],
    ['https://Ops.example/hooks/v1/site-changed?', 'https://Ops.example/hooks/v1/site-changed?'],
    ['https://user:s@ops.example/in', 'https://***@ops.example/in'],
    ['https://ops.example/in?s', 'https://ops.example/in?***'],
    ['https://ops.example/in?a=s=t&b', 'https://ops.example/in?a=***&***'],
    ['https://ops.example/in#s', 'https://ops.example/in#***'],
    ['https://discord.com/api/webhooks/123/aBc', 'https://discord.com/api/webhooks/***/***'],
    ['https://chat.example/hooks/abcdefghijklmnopqrstuvwxyz', 'https://chat.example/hooks/***'],
    ['https://ops.example/%74oken', 'https://ops.example/***'],
  ])('masks %s as %s', (url, masked) => {
    expect(maskUrlTokens(url)).toBe(masked);
    expect(maskUrlTokens(masked)).toBe(masked);
  });
});
