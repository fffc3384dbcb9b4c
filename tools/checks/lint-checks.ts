import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callPathProblems, readCallPaths } from '../lints/call-paths.ts';
import { CYCLE_RULES } from '../lints/cycle-rules.ts';
import { EGRESS_RULES } from '../lints/egress-rules.ts';
import { LAYER_RULES } from '../lints/layer-rules.ts';
import { NAME_RULES } from '../lints/name-rules.ts';
import { evaluateRules, type Rule } from '../lints/rule.ts';
import { readSourceTree, type SourceTree } from '../lints/source-tree.ts';
import { TEST_RULES } from '../lints/test-rules.ts';
import type { Check } from './check.ts';

const DOCUMENT = 'ARCHITECTURE.md';

/** Returns the lint checks. The tree is read once and shared by them. */
export function lintChecks(root: string): readonly Check[] {
  let read: SourceTree | undefined;
  const tree = (): SourceTree => {
    read ??= readSourceTree(root);
    return read;
  };
  const lint = (name: string, table: readonly Rule[]): Check => ({
    name,
    async run() {
      const { files, imports, rules, problems } = evaluateRules(tree(), table);
      return { summary: `${files} files, ${imports} imports, ${rules} ${rules === 1 ? 'rule' : 'rules'}`, problems };
    },
  });
  return [
    lint('layers', LAYER_RULES),
    lint('egress', EGRESS_RULES),
    lint('names', NAME_RULES),
    lint('cycles', CYCLE_RULES),
    lint('tests', TEST_RULES),
    {
      name: 'call paths',
      async run() {
        const paths = readCallPaths(readFileSync(join(root, DOCUMENT), 'utf8'));
        const files = paths.reduce((sum, path) => sum + path.files.length, 0);
        const missing = paths.length === 0 ? [`${DOCUMENT} has no call path: nothing was checked`] : [];
        const problems = [...missing, ...callPathProblems(paths, tree())];
        return { summary: `${paths.length} paths, ${files} files`, problems };
      },
    },
  ];
}
