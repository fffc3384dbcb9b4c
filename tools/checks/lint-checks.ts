import { CYCLE_RULES } from '../lints/cycle-rules.ts';
import { EGRESS_RULES } from '../lints/egress-rules.ts';
import { LAYER_RULES } from '../lints/layer-rules.ts';
import { NAME_RULES } from '../lints/name-rules.ts';
import { evaluateRules, type Rule } from '../lints/rule.ts';
import { readSourceTree, type SourceTree } from '../lints/source-tree.ts';
import { TEST_RULES } from '../lints/test-rules.ts';
import type { Check } from './check.ts';

/** Returns the lint checks. The tree is read once and shared by them. */
export function lintChecks(root: string): readonly Check[] {
  let tree: SourceTree | undefined;
  const lint = (name: string, table: readonly Rule[]): Check => ({
    name,
    async run() {
      tree ??= readSourceTree(root);
      const { files, imports, rules, problems } = evaluateRules(tree, table);
      return { summary: `${files} files, ${imports} imports, ${rules} ${rules === 1 ? 'rule' : 'rules'}`, problems };
    },
  });
  return [
    lint('layers', LAYER_RULES),
    lint('egress', EGRESS_RULES),
    lint('names', NAME_RULES),
    lint('cycles', CYCLE_RULES),
    lint('tests', TEST_RULES),
  ];
}
