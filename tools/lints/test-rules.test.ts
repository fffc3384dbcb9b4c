import { expect, it } from '@jest/globals';
import { evaluateRule } from './fixture-tree.ts';
import { TEST_RULES } from './test-rules.ts';

const problemsIn = (path: string, text: string): readonly string[] =>
  evaluateRule(TEST_RULES, 'no-sleep', { [path]: text, 'test/x.ts': '' }).problems;

it.each([
  'await new Promise((resolve) => setTimeout(resolve, 2_000));',
  'await new Promise<void>((done) => void setTimeout(() => done(), 10));',
])('no-sleep refuses %s', (text) => {
  const expected = [expect.stringContaining('services/a/src/x.test.ts:2 waits for a fixed time')];
  expect(problemsIn('services/a/src/x.test.ts', `// a test\n${text}`)).toEqual(expected);
});

it.each([
  ['services/a/src/x.test.ts', 'await new Promise((resolve) => server.listen(0, resolve));'],
  ['services/a/src/x.test.ts', 'setTimeout(() => response.end(), 300);'],
  ['services/a/src/x.ts', 'await new Promise((resolve) => setTimeout(resolve, 100));'],
])('no-sleep accepts in %s: %s', (path, text) => {
  expect(problemsIn(path, text)).toEqual([]);
});

it.each([
  "describe.skip('needs helm', () => undefined);",
  "it.skip.each([1])('a', () => undefined);",
  "test.todo('a');",
])('skip-kind refuses %s', (text) => {
  const imported = `import { describe, it, test } from '@jest/globals';\n${text}`;
  expect(evaluateRule(TEST_RULES, 'skip-kind', { 'test/x.ts': imported }).problems).toEqual([
    expect.stringContaining('test/x.ts:2 skips tests without a kind'),
  ]);
});

it('skip-kind accepts the function that skips by kind, and other functions of that name', () => {
  const files = {
    'libs/testkit/src/needs.ts': "describe.skip('needs helm', tests);",
    'services/a/src/x.ts': 'rows.skip(1);',
  };
  expect(evaluateRule(TEST_RULES, 'skip-kind', files).problems).toEqual([]);
});
