import { isAscii } from 'node:buffer';
import {
  BROKEN_RATIO,
  COMMON_HAN_SHARE,
  CYRILLIC_SHARE,
  HANGUL_SHARE,
  HIGH_BYTES,
  KANA_SHARE,
  PRESCAN_BYTES,
  UTF16_BYTES,
  ZEROS_DIVISOR,
  ZEROS_SHARE,
} from './thresholds.ts';

/** A decoded body and its encoding, a WHATWG name. */
export interface DecodedBody {
  html: string;
  charset: string;
}

/**
 * Decodes a body: byte order mark, then the charset of the Content-Type header, then the meta prescan, then detection.
 * Never throws. https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export function decodeBody(body: Uint8Array, contentType: string | undefined): DecodedBody {
  const marked = byteOrderMark(body);
  if (marked) return decodeAs(marked, body) ?? decodeAs('windows-1252', body) ?? { html: '', charset: 'utf-8' };
  // Zero bytes between ASCII occur only in UTF-16, whatever is declared.
  const wide = utf16Order(body);
  if (wide) return decodeAs(wide, body) ?? { html: '', charset: wide };
  // Valid UTF-8 with non-ASCII characters is UTF-8, whatever is declared.
  const utf8 = strictUtf8(body);
  if (utf8?.multibyte) return { html: utf8.html, charset: 'utf-8' };
  const declared = charsetOf(contentType) ?? prescan(body);
  if (utf8 && (!declared || declared.startsWith('utf-'))) return { html: utf8.html, charset: 'utf-8' };
  const named = declared ? decodeAs(declared.startsWith('utf-16') ? 'utf-8' : declared, body) : undefined;
  return named ?? decodeAs(guess(body), body) ?? { html: '', charset: 'utf-8' };
}

/** Detects UTF-16 without a byte order mark: markup is ASCII, so every other byte is zero. */
function utf16Order(body: Uint8Array): string | undefined {
  const sample = body.subarray(0, PRESCAN_BYTES);
  if (!sample.includes(0)) return undefined;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  if (sample.length < UTF16_BYTES || Math.min(even, odd) > sample.length / ZEROS_DIVISOR) return undefined;
  if (odd > sample.length * ZEROS_SHARE) return 'utf-16le';
  return even > sample.length * ZEROS_SHARE ? 'utf-16be' : undefined;
}

function byteOrderMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(contentType: string | undefined): string | undefined {
  const label = /charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(contentType ?? '')?.[1];
  return label ? encodingName(label) : undefined;
}

/** https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
function prescan(body: Uint8Array): string | undefined {
  const start = latin1(body.subarray(0, PRESCAN_BYTES)).replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const xml = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  for (const [tag] of start.matchAll(/<meta\s[^>]*>/gi)) {
    const label = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(tag)?.[1];
    const name = label ? encodingName(label) : undefined;
    // A meta element that was read as ASCII cannot be UTF-16.
    if (name) return name.startsWith('utf-16') ? 'utf-8' : name;
  }
  return xml ? encodingName(xml) : undefined;
}

function encodingName(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  if (name === 'utf-8') return name;
  // The standard maps it so in a meta element. In a header it would yield private-use characters.
  if (name === 'x-user-defined') return 'windows-1252';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

function strictUtf8(body: Uint8Array): { html: string; multibyte: boolean } | undefined {
  if (isAscii(body)) return { html: latin1(body), multibyte: false };
  try {
    const html = STRICT_UTF8.decode(body);
    return { html, multibyte: html.length !== body.length };
  } catch {
    return undefined;
  }
}

function decodeAs(charset: string, body: Uint8Array): DecodedBody | undefined {
  try {
    const html = new TextDecoder(charset).decode(body);
    return { html, charset };
  } catch {
    return undefined;
  }
}

/** Guesses the legacy encoding of an undeclared page, from the language it declares and from byte statistics. */
function guess(body: Uint8Array): string {
  const sample = body.subarray(0, 65_536);
  if (mostlyUtf8(sample)) return 'utf-8';
  const language = /<html[^>]*\slang\s*=\s*["']?([a-z]{2})/i
    .exec(latin1(sample.subarray(0, 4_096)))?.[1]
    ?.toLowerCase();
  const byLanguage = language ? LEGACY_OF.get(language) : undefined;
  if (byLanguage) return byLanguage;
  return cyrillic(sample) ?? eastAsian(sample) ?? 'windows-1252';
}

/**
 * Encodings that browsers fall back to by locale:
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
const LEGACY_OF = new Map([
  ['ja', 'shift_jis'],
  ['zh', 'gb18030'],
  ['ko', 'euc-kr'],
  ['ru', 'windows-1251'],
  ['uk', 'windows-1251'],
  ['bg', 'windows-1251'],
  ['pl', 'windows-1250'],
  ['cs', 'windows-1250'],
  ['hu', 'windows-1250'],
  ['el', 'windows-1253'],
  ['tr', 'windows-1254'],
  ['he', 'windows-1255'],
  ['ar', 'windows-1256'],
  ['th', 'windows-874'],
]);

/** UTF-8 with a few broken bytes (a truncated body, a pasted quote) is best read as UTF-8. */
function mostlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(sample);
  let high = 0;
  let broken = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0xfffd) broken++;
    else if (code > 0x7f) high++;
  }
  return high > broken * BROKEN_RATIO;
}

/** Japanese is recognised by kana, Korean by the share of Hangul. */
function eastAsian(sample: Uint8Array): string | undefined {
  for (const name of ['shift_jis', 'euc-jp'])
    if (shareOf(name, sample, /[\u3040-\u30ff\u3001\u3002]/g) > KANA_SHARE) return name;
  if (shareOf('euc-kr', sample, /[\uac00-\ud7af]/g) > HANGUL_SHARE) return 'euc-kr';
  const common = /[\u4e00-\u9fff\u3001\u3002\uff01-\uff5e]/g;
  return shareOf('gb18030', sample, common) > COMMON_HAN_SHARE ? 'gb18030' : undefined;
}

/** Recognised by the eight most common letters, about half of any Russian, Ukrainian or Bulgarian text. */
function cyrillic(sample: Uint8Array): string | undefined {
  return ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5'].find(
    (name) => shareOf(name, sample, /[оеаинтср]/gi) > CYRILLIC_SHARE,
  );
}

/** Returns the share of some characters among all non-ASCII ones; 0 if there are few, or if decoding fails. */
function shareOf(charset: string, sample: Uint8Array, characters: RegExp): number {
  const text = decodeAs(charset, sample)?.html ?? '';
  const high = (text.match(/[^\0-\x7f]/gu) ?? []).length;
  // A sample may end in the middle of a character.
  if (high < HIGH_BYTES || text.slice(0, -2).includes('\ufffd')) return 0;
  return (text.match(characters) ?? []).length / high;
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
