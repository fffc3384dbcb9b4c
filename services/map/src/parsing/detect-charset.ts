import { TextDecoder } from 'node:util';

/** Returns a decoder for text that starts with these bytes: by byte order mark, encoding of the first `<`, XML declaration, else UTF-8. */
export function decoderFor(start: Uint8Array): TextDecoder {
  const [a, b] = start;
  if ((a === 0xfe && b === 0xff) || (a === 0x00 && b === 0x3c)) return new TextDecoder('utf-16be');
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0x00)) return new TextDecoder('utf-16le');
  const head = Buffer.from(start.subarray(0, 256)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1];
  // A declaration that can be read as ASCII but names UTF-16 is outdated: the file was converted after it was written.
  if (declared === undefined || /^utf-?(?:8|16|32)/i.test(declared)) return new TextDecoder();
  try {
    return new TextDecoder(declared);
  } catch {
    return new TextDecoder();
  }
}
