import { expect, it } from '@jest/globals';
import { evaluateRule } from './fixture-tree.ts';
import { SIZE_RULES } from './size-rules.ts';

const lines = (count: number): string => '//\n'.repeat(count);

it.each([
  ['file-size', 'libs/a/src/x.ts', lines(250), lines(251), 'has 251 lines'],
  [
    'function-size',
    'libs/a/src/x.ts',
    `const a = () => {\n${lines(58)}};`,
    `const a = () => {\n${lines(59)}};`,
    'a has 61 lines',
  ],
])('%s', (rule, path, fits, tooLong, expected) => {
  expect(evaluateRule(SIZE_RULES, rule, { [path]: fits }).problems).toEqual([]);
  expect(evaluateRule(SIZE_RULES, rule, { [path]: tooLong }).problems).toEqual([expect.stringContaining(expected)]);
});

it.each(['libs/a/src/utils.ts', 'libs/a/src/helpers/x.ts', 'tools/common.test.ts', 'services/misc/src/x.ts'])(
  'file-name refuses %s',
  (path) => {
    expect(evaluateRule(SIZE_RULES, 'file-name', { [path]: '' }).problems).toHaveLength(1);
  },
);

it('file-name accepts a descriptive name', () => {
  expect(evaluateRule(SIZE_RULES, 'file-name', { 'libs/a/src/common-crawl.ts': '' }).problems).toEqual([]);
});
