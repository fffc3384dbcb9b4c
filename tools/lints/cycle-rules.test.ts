import { describe, expect, it } from '@jest/globals';
import { CYCLE_RULES } from './cycle-rules.ts';
import { evaluateRule } from './fixture-tree.ts';

const problems = (rule: string, files: Readonly<Record<string, string>>) =>
  evaluateRule(CYCLE_RULES, rule, files).problems;

describe('the rule file-cycles', () => {
  it('reports two files that import each other, type-only imports included', () => {
    const found = problems('file-cycles', {
      'services/a/src/x.ts': "import type { Y } from './y.ts';\nexport interface X { y: Y }",
      'services/a/src/y.ts': "import { X } from './x.ts';\nexport type Y = typeof X;",
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('services/a/src/x.ts:1 cycle of 2: services/a/src/x.ts, services/a/src/y.ts');
    expect(found[0]).toContain('services/a/src/y.ts:1 imports services/a/src/x.ts');
  });

  it('accepts a chain of imports and a test that imports what it tests', () => {
    const files = {
      'services/a/src/x.ts': "import { y } from './y.ts';\nexport const x = y;",
      'services/a/src/y.ts': 'export const y = 1;',
      'services/a/src/y.test.ts': "import { x } from './x.ts';\nexport const z = x;",
    };
    expect(problems('file-cycles', files)).toEqual([]);
  });
});

describe('the rule value-cycles', () => {
  const cycleIn = (folder: string, keyword: string) => ({
    [`${folder}/x.ts`]: "import { y } from './y.ts';\nexport const x = y;",
    [`${folder}/y.ts`]: `${keyword} { x } from './x.ts';\nexport const y = 1;`,
  });

  it.each(['services/a/test', 'test/harness', 'tools/lints'])(
    'reports files of %s that import each other',
    (folder) => {
      expect(problems('value-cycles', cycleIn(folder, 'import'))).toHaveLength(1);
    },
  );

  it('accepts a file that imports a type of the file that imports it', () => {
    expect(problems('value-cycles', cycleIn('test/harness', 'import type'))).toEqual([]);
  });
});

describe('the rule folder-cycles', () => {
  const files = {
    'services/a/src/service.ts': "import { one } from './one/one.ts';\nexport const all = one;",
    'services/a/src/config.ts': 'export const config = 1;',
    'services/a/src/one/one.ts': "import { two } from '../two/two.ts';\nexport const one = two;",
    'services/a/src/one/leaf.ts': "import { config } from '../config.ts';\nexport const leaf = config;",
    'services/a/src/two/two.ts': 'export const two = 2;',
  };

  it('reports folders that import each other through different files', () => {
    const two = "import { leaf } from '../one/leaf.ts';\nexport const two = leaf;";
    const found = problems('folder-cycles', { ...files, 'services/a/src/two/two.ts': two });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('cycle of 2: services/a/src/one, services/a/src/two');
  });

  it('reports a folder and its own subfolder that import each other', () => {
    const found = problems('folder-cycles', {
      ...files,
      'services/a/src/one/deep/deep.ts': "import { leaf } from '../leaf.ts';\nexport const deep = leaf;",
      'services/a/src/one/one.ts': "import { deep } from './deep/deep.ts';\nexport const one = deep;",
    });
    expect(found[0]).toContain('cycle of 2: services/a/src/one, services/a/src/one/deep');
  });

  it('accepts files of the src folder that features import', () => {
    expect(problems('folder-cycles', files)).toEqual([]);
  });
});
