import { describe, expect, it } from '@jest/globals';
import { withAction, withoutLastCharacter, withoutTextsOf } from './recorded-actions.ts';

const typed = (text: string, selector = '#name') => ({ kind: 'type' as const, selector, text });
const click = { kind: 'click' as const, selector: '#go' };

describe('recorded actions', () => {
  it('continue the text of a field that is typed into again, and of no other', () => {
    expect(withAction([typed('ab')], typed('c'))).toEqual([typed('abc')]);
    expect(withAction([typed('ab')], typed('c', '#other'))).toEqual([typed('ab'), typed('c', '#other')]);
    expect(withAction([typed('ab'), click], typed('c'))).toEqual([typed('ab'), click, typed('c')]);
  });

  it('start a new text where one would exceed the limit of an action', () => {
    const long = typed('x'.repeat(10_000));
    expect(withAction([long], typed('y'))).toEqual([long, typed('y')]);
  });

  it('lose the last character, whole, that Backspace removed from the same field', () => {
    expect(withoutLastCharacter([click, typed('a😀')], '#name')).toEqual([click, typed('a')]);
    expect(withoutLastCharacter([click, typed('a')], '#name')).toEqual([click]);
    expect(withoutLastCharacter([typed('a'), click], '#name')).toBeUndefined();
    expect(withoutLastCharacter([typed('a')], '#other')).toBeUndefined();
  });

  it('lose every text of a field that turned out to be secret', () => {
    expect(withoutTextsOf([typed('a', '#pw'), click, typed('b', '#pw'), typed('c')], '#pw')).toEqual([
      click,
      typed('c'),
    ]);
  });
});
