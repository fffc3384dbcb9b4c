import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns a grey PNG with text metadata: https://www.w3.org/TR/png-3/#11textinfo */
export function makePng(width: number, height: number, said: Readonly<Record<string, string>> = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const notes = Object.entries(said).map(([name, text]) => chunk('tEXt', Buffer.from(`${name}\0${text}`, 'latin1')));
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height, 0x80)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), ...notes, pixels, chunk('IEND', Buffer.alloc(0))]);
}
