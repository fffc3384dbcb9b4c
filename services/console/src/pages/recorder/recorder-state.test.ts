import { describe, expect, it } from '@jest/globals';
import { frameIn, keyOf, reasonIn, stepsIn, toPagePoint, typed } from './recorder-state.ts';

const key = (name: string, more: object = {}) =>
  keyOf({ key: name, ctrlKey: false, altKey: false, metaKey: false, ...more });

describe('the live view', () => {
  it('converts a point of the scaled picture to the viewport, inside its edges', () => {
    const viewport = { width: 1280, height: 800 };
    expect(toPagePoint({ x: 320, y: 100 }, { width: 640, height: 400 }, viewport)).toEqual({ x: 640, y: 200 });
    expect(toPagePoint({ x: 999, y: -5 }, { width: 640, height: 400 }, viewport)).toEqual({ x: 1279, y: 0 });
  });

  it('sends characters as text and named keys as keys, and leaves Tab, Escape and shortcuts to the browser', () => {
    expect(key('a')).toEqual({ text: 'a' });
    expect(key('😀')).toEqual({ text: '😀' });
    expect(key('Enter')).toEqual({ key: 'Enter' });
    for (const name of ['Tab', 'Escape', 'Shift', 'Dead']) expect(key(name)).toBeUndefined();
    expect(key('a', { ctrlKey: true })).toBeUndefined();
  });

  it('sends one character as a key, so that pages without a field get it, and several as text', () => {
    expect(typed('a')).toEqual({ type: 'press', key: 'a' });
    expect(typed(' ')).toEqual({ type: 'press', key: 'Space' });
    expect(typed('ab')).toEqual({ type: 'type', text: 'ab' });
  });

  it('reads events and texts of any shape without failing', () => {
    expect(reasonIn({ reason: 'idle' })).toBe('idle');
    for (const data of [undefined, null, 'x', { reason: 1 }]) expect(reasonIn(data)).toBe('crashed');
    expect(frameIn({ jpeg: 'QQ==', url: 'https://a/' })).toEqual({
      src: 'data:image/jpeg;base64,QQ==',
      url: 'https://a/',
    });
    expect(frameIn({ jpeg: 1 })).toBeUndefined();
    expect(stepsIn('[{"type":"wait","ms":5}]')).toEqual([{ type: 'wait', ms: 5 }]);
    expect(stepsIn('')).toEqual([]);
    for (const text of ['{}', '[', '[{"type":"other"}]']) expect(stepsIn(text)).toBeUndefined();
  });
});
