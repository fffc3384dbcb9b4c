import { expect, it } from '@jest/globals';
import { assumeHttps } from './assume-https.ts';

it.each([
  ['example.com', 'https://example.com'],
  ['example.com/a?b#c', 'https://example.com/a?b#c'],
  ['Example.com:8080/a', 'https://Example.com:8080/a'],
  ['//example.com/a', 'https://example.com/a'],
  ['bücher.example', 'https://bücher.example'],
  ['1.2.3.4:80', 'https://1.2.3.4:80'],
  ['[::1]/', 'https://[::1]/'],
  ['localhost:3000', 'https://localhost:3000'],
])('%s without a scheme is read as %s', (text, url) => {
  expect(assumeHttps(text)).toBe(url);
});

it.each([
  'http://example.com',
  'HTTPS://example.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'mailto:a@example.com',

  'data:text/html,a.b',
  'user:secret@example.com',
  'me@example.com',
  '/a.b',
  '',
  'word',
  'a b.c',
  '\\\\example.com',
  'view-source:http://a.b',
])('%j is not changed', (text) => {
  expect(assumeHttps(text)).toBe(text);
});
