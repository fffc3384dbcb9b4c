import { basename } from 'node:path';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

const FILE_LINES_MAX = 250;
const FUNCTION_LINES_MAX = 60;
const MEANINGLESS = /^(utils?|helpers?|common|misc)$/;

const PRODUCTS = ['libs/*/src/**', 'packages/*/src/**', 'services/*/src/**'];
const EVERYTHING = ['{bench,libs,packages,services,deploy,tools,test}/**'];

const longFiles = (modules: readonly SourceModule[]): Violation[] =>
  modules
    .filter(({ lineCount }) => lineCount > FILE_LINES_MAX)
    .map(({ path, lineCount }) => ({ path, line: 1, what: `has ${lineCount} lines` }));

const longFunctions = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path, functions }) =>
    functions
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ name, line, lines }) => ({ path, line, what: `${name} has ${lines} lines` })),
  );

const emptyNames = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path }) => {
    const words = [...path.split('/').slice(0, -1), basename(path).replace(/(\.\w+)+$/, '')];
    const word = words.find((one) => MEANINGLESS.test(one));
    return word === undefined ? [] : [{ path, line: 1, what: `is called ${word}` }];
  });

export const SIZE_RULES: readonly Rule[] = [
  { name: 'file-size', reason: `at most ${FILE_LINES_MAX} lines a file`, files: PRODUCTS, violations: longFiles },
  {
    name: 'function-size',
    reason: `at most ${FUNCTION_LINES_MAX} lines a function`,
    files: PRODUCTS,
    tests: 'exempt',
    violations: longFunctions,
  },
  { name: 'file-name', reason: 'a name describes the content', files: EVERYTHING, violations: emptyNames },
];
