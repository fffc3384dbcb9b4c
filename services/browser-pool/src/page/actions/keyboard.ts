import type { CDPSession } from 'puppeteer-core';

/** A key as the protocol wants it told. */
interface Key {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  /** What it writes. */
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

/** The keys of a US keyboard that write neither letters nor digits: code, key code, character, character with shift. */
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

/** A key with the modifiers held down with it. */
export interface Stroke {
  readonly key: Key;
  readonly modifiers: number;
}

/** The stroke a name stands for: `Enter`, `a`, `Shift+Tab`; undefined for what no keyboard has. */
export function strokeOf(name: string): Stroke | undefined {
  // A plus itself is a key, too.
  const parts = name.length === 1 ? [name] : name.split(/\+(?=.)/);
  const last = parts.pop() ?? '';
  const held = parts.map((part) => MODIFIERS.get(part));
  const key = NAMED.get(ALIASES.get(last) ?? last) ?? keyOfCharacter(ALIASES.get(last) ?? last);
  if (key === undefined || held.includes(undefined)) return undefined;
  const modifiers = held.reduce<number>((sum, bit) => sum | (bit ?? 0), key.isShifted === true ? SHIFT : 0);
  return { key, modifiers };
}

/** The key that writes the character on a US keyboard; a character of another script is a key without a place. */
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
  const mark = PUNCTUATION.find(([, , plain, shifted]) => plain === character || shifted === character);
  if (mark === undefined) return { key: character, code: '', keyCode: 0, text: character };
  const [code, keyCode, , shifted] = mark;
  return { key: character, code, keyCode, text: character, isShifted: shifted === character };
}

/** Presses a key and lets it go. */
export async function press(session: CDPSession, { key: pressed, modifiers }: Stroke): Promise<void> {
  const { key, code, keyCode, text } = pressed;
  const event = { key, code, windowsVirtualKeyCode: keyCode, modifiers };
  const isWriting = text !== undefined && (modifiers & ~SHIFT) === 0;
  await Promise.all([
    session.send(
      'Input.dispatchKeyEvent',
      isWriting ? { type: 'keyDown', text, ...event } : { type: 'rawKeyDown', ...event },
    ),
    session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event }),
  ]);
}
