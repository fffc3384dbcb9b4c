/** Counts over one run of text. */
export interface TextCounts {
  words: number;
  punctuation: number;
}

/** Character classes of the Basic Multilingual Plane: counting costs one table lookup per character. */
const SEPARATOR = 0;
const LETTER = 1;
const IDEOGRAPH = 2;
const PUNCTUATION = 3;
const CLASSES = classify();

/**
 * Counts words: runs of letters and digits, and half a word per character of scripts written without spaces, so that
 * Chinese, Japanese and Thai pages count about as many words as their translations.
 */
export function countText(text: string): TextCounts {
  let words = 0;
  let halves = 0;
  let punctuation = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const kind = CLASSES[text.charCodeAt(i)];
    if (kind === LETTER) {
      if (!inWord) words++;
      inWord = true;
      continue;
    }
    inWord = false;
    if (kind === IDEOGRAPH) halves++;
    else if (kind === PUNCTUATION) punctuation++;
  }
  return { words: words + halves / 2, punctuation };
}

/** Returns the number of words, rounded, for the `words` field of the page row. */
export const countWords = (text: string): number => Math.round(countText(text).words);

function classify(): Uint8Array {
  const classes = new Uint8Array(65_536);
  const letters = /[\p{L}\p{N}\p{M}_]/u;
  for (let code = 0; code < 65_536; code++) {
    // Surrogates encode letters or emoji beyond the plane. Counting each pair as one run is close enough.
    if (code >= 0xd800 && code <= 0xdfff) continue;
    if (letters.test(String.fromCharCode(code))) classes[code] = isUnspaced(code) ? IDEOGRAPH : LETTER;
  }
  for (const apostrophe of "'’-") classes[apostrophe.charCodeAt(0)] = SEPARATOR;
  for (const stop of ',.;:!?،؛؟。、，；：！？।॥') classes[stop.charCodeAt(0)] = PUNCTUATION;
  return classes;
}

/** True for Thai to Khmer, kana and Han: scripts without spaces between words. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x3005 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}
