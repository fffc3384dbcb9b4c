import { basename } from 'node:path';
import type { Fault, Rule } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

const FILE_LINES_MAX = 250;
const FUNCTION_LINES_MAX = 60;
const SAYS_NOTHING = /^(utils?|helpers?|common|misc)$/;

/** Without a limit the god file grows exactly at the most important concept. */
const PRODUCTS = ['libs/*/src/**', 'services/*/src/**'];
const EVERYTHING = ['{bench,libs,services,deploy,tools,test}/**'];

const longFiles = (modules: readonly SourceModule[]): Fault[] =>
  modules
    .filter(({ lineCount }) => lineCount > FILE_LINES_MAX)
    .map(({ path, lineCount }) => ({ path, line: 1, what: `has ${lineCount} lines` }));

const longFunctions = (modules: readonly SourceModule[]): Fault[] =>
  modules.flatMap(({ path, functions }) =>
    functions
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ name, line, lines }) => ({ path, line, what: `${name} has ${lines} lines` })),
  );

const emptyNames = (modules: readonly SourceModule[]): Fault[] =>
  modules.flatMap(({ path }) => {
    const words = [...path.split('/').slice(0, -1), basename(path).replace(/(\.\w+)+$/, '')];
    const word = words.find((one) => SAYS_NOTHING.test(one));
    return word === undefined ? [] : [{ path, line: 1, what: `is called ${word}` }];
  });

export const SIZE_RULES: readonly Rule[] = [
  { name: 'file-size', says: `at most ${FILE_LINES_MAX} lines a file`, files: PRODUCTS, faults: longFiles },
  {
    name: 'function-size',
    says: `at most ${FUNCTION_LINES_MAX} lines a function`,
    files: PRODUCTS,
    tests: 'exempt',
    faults: longFunctions,
  },
  { name: 'file-name', says: 'a name says what is inside', files: EVERYTHING, faults: emptyNames },
];
