import { describe, expect, it } from '@jest/globals';
import { alertCondition } from '../src/alert-condition.ts';

describe('alertCondition', () => {
  it('writes numbers as literals, and texts and names of fields quoted', () => {
    const template = {
      when: 'fields[{field}].after < {value} && mentions(entry.text_added, {text})',
      parameters: [
        { name: 'field', type: 'field' },
        { name: 'value', type: 'number' },
        { name: 'text', type: 'text' },
      ],
    } as const;
    expect(alertCondition(template, { field: 'price', value: '9.5', text: 'a "recall"' })).toBe(
      'fields["price"].after < 9.5 && mentions(entry.text_added, "a \\"recall\\"")',
    );
  });

  it.each(['', 'cheap', 'Infinity', '1) || (1 == 1'])('writes 0 for %j where a number is expected', (value) => {
    const template = { when: 'words_added > {value}', parameters: [{ name: 'value', type: 'number' }] } as const;
    expect(alertCondition(template, { value })).toBe('words_added > 0');
  });
});
