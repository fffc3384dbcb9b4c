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

export const NAME_RULES: readonly Rule[] = [
  {
    name: 'file-name',
    reason: 'a name describes the content',
    files: ['{bench,libs,packages,services,deploy,tools,test}/**'],
    violations: emptyNames,
  },
];
