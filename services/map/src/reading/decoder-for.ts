import { TextDecoder } from 'node:util';

/** The decoder for a text that begins with these bytes: by its byte order mark, by how a `<` is written, by what its XML says, or UTF-8. */
export function decoderFor(start: Uint8Array): TextDecoder {
  const [a, b] = start;
  if ((a === 0xfe && b === 0xff) || (a === 0x00 && b === 0x3c)) return new TextDecoder('utf-16be');
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0x00)) return new TextDecoder('utf-16le');
  const head = Buffer.from(start.subarray(0, 256)).toString('latin1');
  const told = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1];
  // What is written in ASCII and says it were UTF-16 was converted and kept its old declaration.
  if (told === undefined || /^utf-?(?:8|16|32)/i.test(told)) return new TextDecoder();
  try {
    return new TextDecoder(told);
  } catch {
    return new TextDecoder();
  }
}
