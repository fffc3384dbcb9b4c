import { describe, expect, it } from '@jest/globals';
import { valueWith } from './config-with.ts';
import { readMessage } from './frame-message.ts';

const from = 'tidemark-stored';
const field = { name: ' fee ', attribute: '', type: 'number', many: false } as const;

describe('messages of the frame of a stored page', () => {
  it('are read by their kinds, with bounded texts', () => {
    expect(readMessage({ from, kind: 'ready', elements: 9 })).toEqual({ kind: 'ready' });
    expect(readMessage({ from, kind: 'at', name: 'p', text: 'x'.repeat(900) })).toEqual({
      kind: 'at',
      name: 'p',
      text: 'x'.repeat(200),
    });
    const selectors = [...Array.from({ length: 20 }, (_, at) => `.c${at}`), 7, '', 'x'.repeat(1_001)];
    expect(readMessage({ from, kind: 'picked', selectors })).toEqual({
      kind: 'picked',
      selectors: selectors.slice(0, 10),
    });
  });

  it('are ignored from other senders and in other shapes', () => {
    for (const data of [null, 'ready', { kind: 'ready' }, { from, kind: 'run' }, { from, kind: 'shown', count: '1' }])
      expect(readMessage(data)).toBeUndefined();
  });
});

describe('a picked selector', () => {
  it('is added to a list once', () => {
    const config = { exclude_selectors: ['.a'] };
    expect(valueWith(config, 'exclude_selectors', { selector: '.b', field })).toEqual(['.a', '.b']);
    expect(valueWith(config, 'exclude_selectors', { selector: '.a', field })).toBeUndefined();
    expect(valueWith({}, 'include_selectors', { selector: 'main', field })).toEqual(['main']);
  });

  it('becomes a field beside the others, without the defaults of a rule', () => {
    const config = { fields: { title: { selector: 'h1' } } };
    expect(valueWith(config, 'fields', { selector: '.fee', field })).toEqual({
      title: { selector: 'h1' },
      fee: { selector: '.fee', type: 'number' },
    });
  });
});
