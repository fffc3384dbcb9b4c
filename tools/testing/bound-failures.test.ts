import { expect, it } from '@jest/globals';
import { boundFailures } from './bound-failures.ts';

const failure = (title: string, lines: number): string =>
  `  ● ${title}\n\n${Array.from({ length: lines }, (_, at) => `    line ${at}\n`).join('')}\n`;

it('keeps a short report as it is', () => {
  const report = failure('one', 20) + failure('two', 30);
  expect(boundFailures(report)).toBe(report);
});

it('shortens each failed test to its first and last lines', () => {
  const lines = boundFailures(failure('one', 5_000) + failure('two', 5_000)).split('\n');
  expect(lines.length).toBeLessThan(200);
  expect(lines.filter((line) => line.startsWith('  ● '))).toEqual(['  ● one', '  ● two']);
  expect(lines.filter((line) => line.includes('lines left out'))).toHaveLength(2);
  expect(lines.filter((line) => line === '    line 4999')).toHaveLength(2);
});
