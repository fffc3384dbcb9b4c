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
