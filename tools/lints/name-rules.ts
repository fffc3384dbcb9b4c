import { basename } from 'node:path';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

const MEANINGLESS = /^(utils?|helpers?|common|misc)$/;

const emptyNames = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path }) => {
    const words = [...path.split('/').slice(0, -1), basename(path).replace(/(\.\w+)+$/, '')];
    const word = words.find((one) => MEANINGLESS.test(one));
    return word === undefined ? [] : [{ path, line: 1, what: `is called ${word}` }];
  });

const literalSpreads = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path, literalSpreads }) =>
    literalSpreads.map((line) => ({ path, line, what: 'spreads a literal' })),
  );

const numbers = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path, numbers }) =>
    numbers.map(({ text, line }) => ({ path, line, what: `has the number ${text}` })),
  );

const READER = 'libs/page-reader/src';

/** Reports return types of makers, and objects that are spread into the argument of a maker. */
const bags = (modules: readonly SourceModule[]): Violation[] =>
  modules.flatMap(({ path, makerReturnTypes, spreadDependencies }) => [
    ...makerReturnTypes.map((line) => ({
      path,
      line,
      what: 'has the return type of a maker instead of a named type',
    })),
    ...spreadDependencies.map((line) => ({ path, line, what: 'spreads an object into the argument of a maker' })),
  ]);

export const NAME_RULES: readonly Rule[] = [
  {
    name: 'literal-spread',
    reason: 'each field and each element is written in the object or list that has it',
    files: ['{bench,libs,packages,services,deploy,tools,test}/**'],
    violations: literalSpreads,
  },
  {
    name: 'named-dependencies',
    reason: 'a use case has an exported type of its own, and its dependencies are passed by name where it is made',
    files: ['{libs,services}/*/src/**'],
    tests: 'exempt',
    violations: bags,
  },
  {
    name: 'file-name',
    reason: 'a name describes the content',
    files: ['{bench,libs,packages,services,deploy,tools,test}/**'],
    violations: emptyNames,
  },
  {
    name: 'threshold',
    reason: 'a threshold of the page reader stands with its unit and effect in the thresholds.ts of its stage',
    files: [
      `${READER}/{blocks,evidence,fields,filters,head,landmarks,links,main,markdown,output,page,product,verdict}/**`,
    ],
    except: [
      `${READER}/*/thresholds.ts`,
      // Numbers of hashes, of formats and of the calendar.
      `${READER}/blocks/{block-hash,blocks-version,content-hash}.ts`,
      `${READER}/evidence/word-search.ts`,
      `${READER}/fields/field-values.ts`,
    ],
    tests: 'exempt',
    violations: numbers,
  },
];
