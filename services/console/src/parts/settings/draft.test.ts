import { describe, expect, it } from '@jest/globals';
import { messagesOf, patchOf, type Setting, searched, withEdit } from './draft.ts';
import { boundsOf, choicesOf, kindOf, nameOf, parseText, textOf } from './setting-value.ts';

const setting = (key: string, given: Partial<Setting>): Setting => ({
  key,
  group: 'scope',
  summary: '',
  kind: 'text',
  choices: [],
  bounds: {},
  fallback: null,
  stored: undefined,
  ...given,
});
const pages = setting('max_pages', { kind: 'number', fallback: 1000, stored: 50, summary: 'maximum number of pages' });
const paths = setting('exclude_paths', { kind: 'lines', fallback: [], stored: ['/a/**'] });
const name = setting('name', { group: 'general', stored: 'Shop' });

describe('the controls of settings', () => {
  it('are chosen by the JSON Schema of the key, with JSON for every other shape', () => {
    expect(kindOf({ type: 'boolean' })).toBe('flag');
    expect(kindOf({ type: 'integer', minimum: 1 })).toBe('number');
    expect(kindOf({ type: 'string', enum: ['auto', 'never'] })).toBe('choice');
    expect(kindOf({ type: 'array', items: { type: 'string', enum: ['text'] } })).toBe('choices');
    expect(kindOf({ type: 'array', items: { type: 'string' } })).toBe('lines');
    expect(kindOf({ type: 'object' })).toBe('json');
    const waitFor = { anyOf: [{ type: 'integer' }, { type: 'string' }] };
    expect(kindOf({ $ref: '#/$defs/WaitFor', $defs: { WaitFor: waitFor } })).toBe('scalar');
    expect(choicesOf({ type: 'array', items: { enum: ['a', 'b'] } })).toEqual(['a', 'b']);
    expect(boundsOf({ minimum: 1, maximum: 9 })).toEqual({ min: 1, max: 9 });
  });

  it('keep a value through its text', () => {
    for (const [kind, value] of [
      ['flag', true],
      ['choices', ['a', 'b']],
      ['number', 7],
      ['lines', ['/x/**', '/y']],
      ['scalar', 500],
      ['scalar', '.ready'],
      ['json', { price: { selector: '.p' } }],
    ] as const)
      expect(parseText(textOf(value, kind), kind)).toEqual({ value });
  });

  it('refuse a text without a value and reset the setting where the text is empty', () => {
    expect(parseText('many', 'number')).toEqual({ problem: 'number' });
    expect(parseText('{"a"', 'json')).toEqual({ problem: 'json' });
    expect(parseText(' ', 'number')).toEqual({ value: null });
    expect(parseText('', 'lines')).toEqual({ value: [] });
  });

  it('have names for people', () => {
    expect([nameOf('max_pages'), nameOf('store_html'), nameOf('webhook_url')]).toEqual([
      'Max pages',
      'Store HTML',
      'Webhook URL',
    ]);
  });
});

describe('unsaved settings', () => {
  it('are only those whose text differs from the stored value', () => {
    const edited = withEdit({}, pages, '80');
    expect(edited).toEqual({ max_pages: '80' });
    expect(withEdit(edited, pages, '50')).toEqual({});
  });

  it('are sent as a patch of the changed keys, null for a return to the default', () => {
    const edits = { max_pages: '1000', exclude_paths: '/b/**\n\n /c ', name: 'Store' };
    expect(patchOf([pages, paths, name], edits)).toEqual({
      own: { name: 'Store' },
      config: { max_pages: null, exclude_paths: ['/b/**', '/c'] },
      problems: {},
    });
    expect(patchOf([pages], { max_pages: 'x' }).problems).toEqual({ max_pages: 'number' });
  });

  it('are found by words of their names and descriptions', () => {
    expect(searched([pages, paths], 'max page')).toEqual([pages]);
    expect(searched([pages, paths], 'exclude')).toEqual([paths]);
    expect(searched([pages, paths], '')).toHaveLength(2);
  });

  it('show each refusal at its field, with the part of the value that is invalid', () => {
    const issues = [
      { loc: ['body', 'config', 'max_pages'], msg: 'too big' },
      { loc: ['body', 'config', 'fields', 'price', 'selector'], msg: 'expected a selector' },
      { loc: ['body', 'timezone'], msg: 'expected an IANA time zone' },
    ];
    expect(messagesOf(issues)).toEqual({
      max_pages: 'Too big',
      fields: 'Price.selector: expected a selector',
      timezone: 'Expected an IANA time zone',
    });
  });
});
