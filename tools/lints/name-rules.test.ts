import { expect, it } from '@jest/globals';
import { evaluateRule } from './fixture-tree.ts';
import { NAME_RULES } from './name-rules.ts';

it.each(['libs/a/src/utils.ts', 'libs/a/src/helpers/x.ts', 'tools/common.test.ts', 'services/misc/src/x.ts'])(
  'file-name refuses %s',
  (path) => {
    expect(evaluateRule(NAME_RULES, 'file-name', { [path]: '' }).problems).toHaveLength(1);
  },
);

it('file-name accepts a descriptive name', () => {
  expect(evaluateRule(NAME_RULES, 'file-name', { 'libs/a/src/common-crawl.ts': '' }).problems).toEqual([]);
});

it.each([
  'export const a = { ...{ b: 1, c: 2 } };',
  'export const a = [...[1, 2], 3];',
  'export const a = (b: number) => ({ d: { ...{ b } } });',
])('literal-spread refuses %s', (text) => {
  expect(evaluateRule(NAME_RULES, 'literal-spread', { 'libs/a/src/x.ts': text }).problems).toHaveLength(1);
});

it.each([
  'export const a = (b: object) => ({ ...b, c: 1 });',
  'export const a = (b: boolean) => [...(b ? [1] : []), ...[1].map(String)];',
])('literal-spread accepts %s', (text) => {
  expect(evaluateRule(NAME_RULES, 'literal-spread', { 'libs/a/src/x.ts': text }).problems).toEqual([]);
});

it.each([
  'export const a = (b: number) => b < 12;',
  'export const a = (b: number, c: number) => b > c * 0.3;',
  'const WORDS = 12;',
])('threshold refuses %s in a stage of the page reader', (text) => {
  expect(evaluateRule(NAME_RULES, 'threshold', { 'libs/page-reader/src/main/x.ts': text }).problems).toHaveLength(1);
});

it.each([
  'export const a = (b: number) => b > 2;',
  'export const a = (status: number) => status >= 400;',
  'export const a = (code: number) => code > 0x7f;',
  "import { WORDS } from './thresholds.ts';\nexport const a = (b: number) => b < WORDS;",
])('threshold accepts %s in a stage of the page reader', (text) => {
  expect(evaluateRule(NAME_RULES, 'threshold', { 'libs/page-reader/src/main/x.ts': text }).problems).toEqual([]);
});

it.each([
  'export type A = ReturnType<typeof makeA>;',
  'export interface A { readonly b: ReturnType<typeof openB> }',
  'export const a = (deps: object) => makeA({ ...deps, b: 1 });',
  'export const a = (app: { deps: object }) => openA(1, { ...app.deps });',
])('named-dependencies refuses %s', (text) => {
  expect(evaluateRule(NAME_RULES, 'named-dependencies', { 'services/a/src/x.ts': text }).problems).toHaveLength(1);
});

it.each([
  'export type A = ReturnType<typeof readA> | Awaited<ReturnType<typeof open>>;',
  'export const a = (b: number) => makeA({ b });',
  'export const a = (b?: number) => makeA({ ...(b === undefined ? {} : { b }) });',
  'export const a = (b: object) => readA({ ...b });',
])('named-dependencies accepts %s', (text) => {
  expect(evaluateRule(NAME_RULES, 'named-dependencies', { 'services/a/src/x.ts': text }).problems).toEqual([]);
});

it('named-dependencies does not apply to tests', () => {
  const text = 'export type A = ReturnType<typeof makeA>;';
  const files = { 'services/a/src/x.test.ts': text, 'services/a/src/x.ts': '' };
  expect(evaluateRule(NAME_RULES, 'named-dependencies', files).problems).toEqual([]);
});
