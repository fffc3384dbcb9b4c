import { describe, expect, it } from '@jest/globals';
import { withWords } from './word-enums.ts';

const generated = (name: string, keys: readonly string[]): string =>
  `export const ${name} = {\n${keys.map((key) => `  ${key}: "${key}",`).join('\n')}\n} as const;\n`;

describe('the values of generated enums', () => {
  it('are the words of the specification in lower case', () => {
    const source = generated('StopReason', ['STOP_REASON_UNSPECIFIED', 'STOP_REASON_PAGE_LIMIT']);
    expect(withWords(source)).toContain(
      'STOP_REASON_UNSPECIFIED: "unspecified",\n  STOP_REASON_PAGE_LIMIT: "page_limit",',
    );
  });

  it('are upper case for codes, and names of schema.org for availabilities', () => {
    expect(withWords(generated('ErrorCode', ['ERROR_CODE_NOT_FOUND']))).toContain('"NOT_FOUND"');
    expect(withWords(generated('Availability', ['AVAILABILITY_IN_STOCK']))).toContain('"InStock"');
  });

  it('are numbers for enums that are parts of keys', () => {
    expect(withWords(generated('Landmark', ['LANDMARK_UNSPECIFIED', 'LANDMARK_MAIN']))).toContain('LANDMARK_MAIN: 1');
  });

  it('are refused under a name without the prefix of its enum', () => {
    expect(() => withWords(generated('StopReason', ['OTHER']))).toThrow('does not start with STOP_REASON_');
  });
});
