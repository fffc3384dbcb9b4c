import { expect, it } from '@jest/globals';
import { problemText, runChecks } from './run-checks.ts';

it('runs every check in order, a line each, and tells all problems together', async () => {
  const lines: string[] = [];
  const check = (name: string, problems: string[]) => ({
    name,
    run: async () => ({ says: `${name} looked`, problems }),
  });
  const failed = await runChecks([check('a', ['x is wrong', 'y too']), check('b', []), check('c', ['z'])], (line) =>
    lines.push(line),
  );
  expect(lines.map((line) => line.replace(/\s+\d+\.\d s$/, '').trim())).toEqual([
    expect.stringMatching(/^a\s+FAILED {2}a looked$/),
    expect.stringMatching(/^b\s+b looked$/),
    expect.stringMatching(/^c\s+FAILED {2}c looked$/),
  ]);
  expect(problemText(failed)).toBe('\na (a looked):\nx is wrong\ny too\n\nc (c looked):\nz');
});
