/** Returns width and height from the start-of-frame segment of a JPEG. */
export function jpegSize(bytes: Buffer | undefined): { width: number; height: number } {
  if (bytes === undefined) throw new Error('there is no screenshot');
  let at = 2;
  while (at < bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc2) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw new Error('the JPEG has no frame');
}
