import { describe, expect, test } from '@jest/globals';
import { memoryLimits } from './memory-limits.ts';

describe('memory limits of a host process', () => {
  test('without a scale are those of its services', () => {
    expect(memoryLimits('light', '')).toMatchObject({ residentMb: 1_024 });
    expect(memoryLimits('light', '').nodeFlags).toContain('--max-old-space-size=384');
  });

  test('are multiplied by the scale, and the initial heap stays within the largest', () => {
    const { nodeFlags, residentMb } = memoryLimits('diff', '0.5');
    expect(residentMb).toBe(640);
    expect(nodeFlags).toEqual(expect.arrayContaining(['--initial-old-space-size=128', '--max-old-space-size=384']));
  });

  test.each(['0', '9', 'half', '-1'])('refuse the scale %s with the range', (scale) => {
    expect(() => memoryLimits('light', scale)).toThrow('set a number from 0.5 to 8');
  });
});
