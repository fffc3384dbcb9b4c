import { expect, test } from '@jest/globals';
import { isPathOfOrigin } from '../browser/accounts/path-of-origin.ts';

test.each([
  '//evil.example',
  '/\\evil.example',
  '/..//evil.example',
  '/@evil.example',
  'https://evil.example',
  '/\tevil.example',
])('the pages of accounts open no other origin for the return path %j', (path) => {
  expect(isPathOfOrigin(path)).toBe(false);
});

test('the pages of accounts open a return path of their own origin', () => {
  expect(isPathOfOrigin('/projects/prj_1')).toBe(true);
});
