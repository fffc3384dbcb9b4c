import { describe, expect, it } from '@jest/globals';
import { responseText } from './response-text.ts';

const textOf = (text: string) => responseText(Buffer.from(text));

describe('responseText', () => {
  it('returns one line of plain text without terminal sequences', () => {
    expect(textOf('\u001b[31mred\u001b[0m\r\n\u0000 \u202e end\u2028')).toBe('[31mred [0m end');
  });

  it('returns at most five hundred characters, none of them cut in two', () => {
    expect([...textOf('😀'.repeat(900))]).toHaveLength(500);
    expect(responseText(Buffer.from('ok ✓').subarray(0, 5))).toBe('ok');
    expect(() => responseText(Buffer.from([0xff, 0xfe, 0x80]))).not.toThrow();
  });
});
