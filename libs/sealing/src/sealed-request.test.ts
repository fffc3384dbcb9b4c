import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { openRequest, sealRequest } from './sealed-request.ts';
import { Sealer } from './sealer.ts';

const sealer = new Sealer(randomBytes(32).toString('base64'));
const plain = { formats: ['markdown'], headers: { authorization: 'Bearer canary' }, cookies: { sid: 'canary' } };

it('sealRequest removes headers and cookies from the options, and openRequest restores them for the same workspace', () => {
  const sealed = sealRequest(plain, sealer, 'ws_1');
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed).toMatchObject({ formats: ['markdown'], headers: {}, cookies: {} });
  expect(openRequest(sealed, sealer, 'ws_1')).toEqual({ ...plain, sealedRequest: undefined });
  expect(() => openRequest(sealed, sealer, 'ws_2')).toThrow();
});

it('sealRequest removes the texts that actions type, and openRequest restores them at the same actions', () => {
  const actions = [
    { kind: 'click', selector: '#login', text: '', ms: 0 },
    { kind: 'type', selector: '#password', text: 'canary', ms: 0 },
    { kind: 'press', selector: '', text: 'Enter', ms: 0 },
  ];
  const options = { headers: {}, cookies: {}, actions };
  const sealed = sealRequest(options, sealer, 'ws_1');
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed.actions.map(({ kind, text }) => [kind, text])).toEqual([
    ['click', ''],
    ['type', ''],
    ['press', 'Enter'],
  ]);
  expect(openRequest(sealed, sealer, 'ws_1')).toEqual({ ...options, sealedRequest: undefined });
});

it('sealRequest and openRequest return options without headers and cookies unchanged', () => {
  const empty = { headers: {}, cookies: {} };
  expect(sealRequest(empty, sealer, 'ws_1')).toBe(empty);
  expect(openRequest(empty, sealer, 'ws_1')).toBe(empty);
  expect(openRequest(plain, sealer, 'ws_1')).toBe(plain);
});
