import type { CDPSession } from 'puppeteer-core';

/** A key in the terms of the DevTools protocol. */
interface Key {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  /** The text that it enters. */
  readonly text?: string;
  readonly isShifted?: boolean;
}

/** Keys by name (UI Events KeyboardEvent key values), with their Windows key codes. */
const NAMED: ReadonlyMap<string, Key> = new Map(
  Object.entries({
    Backspace: 8,
    Tab: 9,
    Enter: 13,
    Escape: 27,
    PageUp: 33,
    PageDown: 34,
    End: 35,
    Home: 36,
    ArrowLeft: 37,
    ArrowUp: 38,
    ArrowRight: 39,
    ArrowDown: 40,
    Insert: 45,
    Delete: 46,
    ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, 112 + index])),
  }).map(([key, keyCode]) => [key, { key, code: key, keyCode, ...(key === 'Enter' ? { text: '\r' } : {}) }]),
);

/** Punctuation keys of a US keyboard: code, key code, character, character with shift. */
const PUNCTUATION: readonly (readonly [string, number, string, string])[] = [
  ['Semicolon', 186, ';', ':'],
  ['Equal', 187, '=', '+'],
  ['Comma', 188, ',', '<'],
  ['Minus', 189, '-', '_'],
  ['Period', 190, '.', '>'],
  ['Slash', 191, '/', '?'],
  ['Backquote', 192, '`', '~'],
  ['BracketLeft', 219, '[', '{'],
  ['Backslash', 220, '\\', '|'],
  ['BracketRight', 221, ']', '}'],
  ['Quote', 222, "'", '"'],
];
const SHIFTED_DIGITS = ')!@#$%^&*(';
const MODIFIERS: ReadonlyMap<string, number> = new Map([
  ['Alt', 1],
  ['Control', 2],
  ['Meta', 4],
  ['Shift', 8],
]);
const SHIFT = 8;
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['Esc', 'Escape'],
  ['Return', 'Enter'],
  ['Space', ' '],
]);

/** A key with its modifiers. */
export interface Keystroke {
  readonly key: Key;
  readonly modifiers: number;
}

/** Parses the name of a keystroke: `Enter`, `a`, `Shift+Tab`. Undefined for an unknown key. */
export function parseKeystroke(name: string): Keystroke | undefined {
  // The plus sign is a key as well.
  const parts = name.length === 1 ? [name] : name.split(/\+(?=.)/);
  const last = parts.pop() ?? '';
  const modifierBits = parts.map((part) => MODIFIERS.get(part));
  const key = NAMED.get(ALIASES.get(last) ?? last) ?? keyOfCharacter(ALIASES.get(last) ?? last);
  if (key === undefined || modifierBits.includes(undefined)) return undefined;
  const modifiers = modifierBits.reduce<number>((sum, bit) => sum | (bit ?? 0), key.isShifted === true ? SHIFT : 0);
  return { key, modifiers };
}

/** Returns the key of a character on a US keyboard; other characters have a key without a code. */
function keyOfCharacter(character: string): Key | undefined {
  if ([...character].length !== 1) return undefined;
  if (character === ' ') return { key: ' ', code: 'Space', keyCode: 32, text: ' ' };
  if (/[a-z]/i.test(character)) {
    const upper = character.toUpperCase();
    const isShifted = character === upper;
    return { key: character, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: character, isShifted };
  }
  const shiftedDigit = SHIFTED_DIGITS.indexOf(character);
  const digit = /\d/.test(character) ? Number(character) : shiftedDigit;
  if (digit >= 0) {
    return {
      key: character,
      code: `Digit${digit}`,
      keyCode: 48 + digit,
      text: character,
      isShifted: shiftedDigit >= 0,
    };
  }
  const punctuation = PUNCTUATION.find(([, , plain, shifted]) => plain === character || shifted === character);
  if (punctuation === undefined) return { key: character, code: '', keyCode: 0, text: character };
  const [code, keyCode, , shifted] = punctuation;
  return { key: character, code, keyCode, text: character, isShifted: shifted === character };
}

/** Presses and releases a key. */
export async function press(session: CDPSession, { key: pressed, modifiers }: Keystroke): Promise<void> {
  const { key, code, keyCode, text } = pressed;
  const event = { key, code, windowsVirtualKeyCode: keyCode, modifiers };
  const writesText = text !== undefined && (modifiers & ~SHIFT) === 0;
  await Promise.all([
    session.send(
      'Input.dispatchKeyEvent',
      writesText ? { type: 'keyDown', text, ...event } : { type: 'rawKeyDown', ...event },
    ),
    session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event }),
  ]);
}
