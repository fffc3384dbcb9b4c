import { describe, expect, it } from '@jest/globals';
import {
  readActions,
  readDigest,
  readExtract,
  readFields,
  readOverrides,
  readPairs,
  writeActions,
  writeDigest,
  writeExtract,
  writeFields,
  writeOverrides,
  writePairs,
} from './rows.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

describe('settings as rows', () => {
  it('keep their values through the rows', () => {
    const fields = json({ price: { selector: '.price', type: 'number' }, tags: { selector: '//a', many: true } });
    expect(writeFields(readFields(fields) ?? [])).toBe(fields);
    const headers = json({ 'X-Team': 'web', Authorization: '***' });
    expect(writePairs(readPairs(headers) ?? [])).toBe(headers);
    const actions = json([
      { type: 'click', selector: '#more' },
      { type: 'type', selector: '#q', text: '***' },
      { type: 'press', key: 'Enter', selector: '#q' },
      { type: 'scroll', to: 'bottom' },
      { type: 'wait', ms: 500, selector: '.done' },
    ]);
    expect(writeActions(readActions(actions) ?? [])).toBe(actions);
    const extract = json({
      connection_id: 'con_1',
      schema: {
        type: 'object',
        properties: {
          price: { type: 'number', description: 'in euros' },
          sizes: { type: 'array', items: { type: 'string' } },
        },
        required: ['price'],
      },
      prompt: 'Prices with tax.',
      max_tokens: 1000,
    });
    const draft = readExtract(extract);
    expect(draft === undefined ? '' : writeExtract(draft)).toBe(extract);
    const digest = json({ connection_id: 'con_1', focus: 'prices' });
    expect(writeDigest(readDigest(digest) ?? { connection: '', focus: '' })).toBe(digest);
    const overrides = json([{ place: 'abcdefghijklmnop', ignore: false, url: 'https://a.test/', text: 'Price' }]);
    expect(writeOverrides(readOverrides(overrides) ?? [])).toBe(overrides);
  });

  it('are empty for a setting without a value', () => {
    expect([readFields(''), readPairs(''), readActions('')]).toEqual([[], [], []]);
    expect(writeExtract({ connection: '', prompt: 'x', maxTokens: '', values: [] })).toBe('');
    expect(writeDigest({ connection: '', focus: 'prices' })).toBe('');
  });

  it('leave a row without a name out until it has one', () => {
    const row = { name: '', selector: '.p', attribute: '', type: 'string', many: false } as const;
    expect(writeFields([row, { ...row, name: 'p' }])).toBe(json({ p: { selector: '.p' } }));
  });

  it('leave every other shape to the JSON view', () => {
    expect(readFields('[1]')).toBeUndefined();
    expect(readFields('{"a": ')).toBeUndefined();
    expect(readPairs('{"a": {"b": 1}}')).toBeUndefined();
    expect(readActions('[{"type": "dance"}]')).toBeUndefined();
    for (const schema of [
      { type: 'object', properties: { a: { type: 'object', properties: {} } } },
      { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } },
      { type: 'object', additionalProperties: false },
    ])
      expect(readExtract(json({ connection_id: 'con_1', schema }))).toBeUndefined();
  });
});
