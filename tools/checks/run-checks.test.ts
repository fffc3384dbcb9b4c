import { expect, it } from '@jest/globals';
import { problemText, runChecks } from './run-checks.ts';

it('runs every check in order, prints a line for each, and reports all problems at the end', async () => {
  const lines: string[] = [];
  const check = (name: string, problems: string[]) => ({
    name,
    run: async () => ({ summary: `${name} summary`, problems }),
  });
  const failed = await runChecks([check('a', ['x is wrong', 'y too']), check('b', []), check('c', ['z'])], (line) =>
    lines.push(line),
  );
  expect(lines.map((line) => line.replace(/\s+\d+\.\d s$/, '').trim())).toEqual([
    expect.stringMatching(/^a\s+FAILED {2}a summary$/),
    expect.stringMatching(/^b\s+b summary$/),
    expect.stringMatching(/^c\s+FAILED {2}c summary$/),
  ]);
  expect(problemText(failed)).toBe('\na (a summary):\nx is wrong\ny too\n\nc (c summary):\nz');
});
