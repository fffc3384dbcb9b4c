import { describe, expect, it } from '@jest/globals';
import { callPathProblems, readCallPaths } from './call-paths.ts';
import { treeOf } from './fixture-tree.ts';

const TREE = treeOf({
  'services/a/src/start.ts': "import { run } from './run.ts';\nimport { write } from './store.ts';\nrun(write);\n",
  'services/a/src/run.ts': 'export const run = (write: () => void) => write();\n',
  'services/a/src/store.ts': "import type { Started } from './start.ts';\nexport const write = (_?: Started) => {};\n",
  'services/a/src/back.ts': "import { start } from './start.ts';\nstart();\n",
});

const pathOf = (...lines: string[]) => readCallPaths(['```text call-path a start', ...lines, '```'].join('\n'));

describe('the call paths of a document', () => {
  it('are its blocks: a name, and a file at the beginning of each line', () => {
    expect(pathOf('services/a/src/start.ts  starts it', 'services/a/src/run.ts')).toEqual([
      { name: 'a start', files: ['services/a/src/start.ts', 'services/a/src/run.ts'] },
    ]);
  });

  it('have no fault if each file exists and imports only types of the files before it', () => {
    const path = pathOf('services/a/src/start.ts', 'services/a/src/run.ts', 'services/a/src/store.ts');
    expect(callPathProblems(path, TREE)).toEqual([]);
  });

  it('are refused for a file that does not exist, is named twice, or imports a file before it', () => {
    const path = pathOf(
      'services/a/src/start.ts',
      'services/a/src/gone.ts',
      'services/a/src/back.ts',
      'services/a/src/start.ts',
    );
    expect(callPathProblems(path, TREE)).toEqual([
      'a start: there is no file services/a/src/gone.ts',
      'a start: services/a/src/back.ts:1 imports services/a/src/start.ts, which is earlier in the path',
      'a start: services/a/src/start.ts is named twice',
    ]);
  });
});
