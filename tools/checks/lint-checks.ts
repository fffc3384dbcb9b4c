import { EGRESS_RULES } from '../lints/egress-rules.ts';
import { LAYER_RULES } from '../lints/layer-rules.ts';
import { judge, type Rule } from '../lints/rule.ts';
import { SIZE_RULES } from '../lints/size-rules.ts';
import { readSourceTree, type SourceTree } from '../lints/source-tree.ts';
import { TEST_RULES } from '../lints/test-rules.ts';
import type { Check } from './check.ts';

/** The house's own lints, over one reading of the tree. */
export function lintChecks(root: string): readonly Check[] {
  let tree: SourceTree | undefined;
  const lint = (name: string, table: readonly Rule[]): Check => ({
    name,
    async run() {
      tree ??= readSourceTree(root);
      const { files, imports, rules, problems } = judge(tree, table);
      return { says: `${files} files, ${imports} imports, ${rules} ${rules === 1 ? 'rule' : 'rules'}`, problems };
    },
  });
  return [
    lint('layers', LAYER_RULES),
    lint('egress', EGRESS_RULES),
    lint('sizes', SIZE_RULES),
    lint('tests', TEST_RULES),
  ];
}
