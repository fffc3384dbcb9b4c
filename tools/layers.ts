// `node tools/layers.ts`: the rules for imports, sockets and names. `npm run check` runs them too.
import { resolve } from 'node:path';
import { EGRESS_RULES } from './lints/egress-rules.ts';
import { LAYER_RULES } from './lints/layer-rules.ts';
import { NAME_RULES } from './lints/name-rules.ts';
import { evaluateRules } from './lints/rule.ts';
import { readSourceTree } from './lints/source-tree.ts';

const tree = readSourceTree(resolve(import.meta.dirname, '..'));
const { files, imports, rules, problems } = evaluateRules(tree, [...LAYER_RULES, ...EGRESS_RULES, ...NAME_RULES]);
for (const problem of problems) console.error(problem);
console.log(`${files} files, ${imports} imports, ${rules} rules, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
