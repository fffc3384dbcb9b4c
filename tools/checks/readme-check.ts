import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';

const MAX_LINES = 90;
const HEADINGS = ['Purpose', 'API', 'Data', 'Configuration', 'Failure modes'];

/** Returns the check that the README of a service is one page with the five headings. Its rules have a page of their own, RULES.md. */
export const readmeCheck = (root: string): Check => ({
  name: 'readmes',
  async run() {
    const files = globSync('services/*/README.md', { cwd: root }).sort();
    const problems = files.flatMap((file) => readmeProblems(file, readFileSync(join(root, file), 'utf8')));
    return {
      summary: `${files.length} services`,
      problems: files.length === 0 ? ['no README was found: nothing was checked'] : problems,
    };
  },
});

function readmeProblems(file: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const missing = HEADINGS.filter((heading) => !lines.includes(`## ${heading}`));
  return [
    ...(lines.length > MAX_LINES
      ? [`${file} has ${lines.length} lines, at most ${MAX_LINES}: move rules to RULES.md`]
      : []),
    ...missing.map((heading) => `${file} lacks the heading ${heading}`),
  ];
}
