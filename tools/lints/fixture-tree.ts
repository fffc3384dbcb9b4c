import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Evaluation, evaluateRules, type Rule } from './rule.ts';
import { readSourceTree, type SourceTree } from './source-tree.ts';

/** For tests: writes files to a temporary folder and reads them as a source tree. Packages without a package.json get an empty one. */
export function treeOf(files: Readonly<Record<string, string>>): SourceTree {
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-lint-'));
  try {
    const folders = new Set(Object.keys(files).flatMap((path) => /^(libs|services)\/[^/]+/.exec(path)?.[0] ?? []));
    const manifests = [...folders].map((folder): [string, string] => [
      `${folder}/package.json`,
      JSON.stringify({ name: `@tidemark/${folder.split('/')[1]}` }),
    ]);
    const all = { 'package.json': '{"name":"root"}', ...Object.fromEntries(manifests), ...files };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(join(dir, dirname(path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    return readSourceTree(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Evaluates one rule of a table, given by name, on a small tree. */
export function evaluateRule(
  rules: readonly Rule[],
  name: string,
  files: Readonly<Record<string, string>>,
): Evaluation {
  const chosen = rules.filter((rule) => rule.name === name);
  if (chosen.length !== 1) throw new Error(`there are ${chosen.length} rules called ${name}`);
  return evaluateRules(treeOf(files), chosen);
}
