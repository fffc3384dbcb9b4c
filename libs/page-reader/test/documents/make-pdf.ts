import { createHash } from 'node:crypto';

/** A line of text on a page of a generated PDF. */
export interface PdfLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly bold?: boolean;
  /** Monospaced. */
  readonly code?: boolean;
  readonly href?: string;
}

export interface PdfOptions {
  readonly title?: string;
  readonly author?: string;
  /** Compressed content of an additional page. */
  readonly packedPage?: Buffer;
  /** Required password (RC4, 40 bits: ISO 32000-1 7.6). */
  readonly password?: string;
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const WIDTH_OF_CHARACTER = 0.5;

/** Returns a small valid PDF, written object by object. */
export function makePdf(pages: readonly (readonly PdfLine[])[], options: PdfOptions = {}): Buffer {
  const writer = new PdfWriter(options.password);
  const packedId = 10 + pages.length * 2;
  const pageIds = [...pages.map((_, i) => 10 + i * 2), ...(options.packedPage === undefined ? [] : [packedId])];
  writer.object(1, '<< /Type /Catalog /Pages 2 0 R /Lang (en) >>');
  writer.object(2, `<< /Type /Pages /Count ${pageIds.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`);
  writer.object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  writer.object(4, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>');
  writer.object(7, '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>');
  const { title = '', author = '' } = options;
  const info = `/Title ${writer.string(5, title)} /Author ${writer.string(5, author)}`;
  writer.object(5, `<< ${info} /CreationDate ${writer.string(5, "D:20240229120000+01'00'")} >>`);
  pages.forEach((lines, i) => {
    const id = 10 + i * 2;
    const annotations = lines.filter((line) => line.href !== undefined).map((line) => annotation(writer, id, line));
    writer.object(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${id + 1} 0 R /Annots [${annotations.join(' ')}] ` +
        '/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 7 0 R >> >> >>',
    );
    writer.stream(id + 1, Buffer.from(lines.map(drawn).join('\n'), 'latin1'));
  });
  if (options.packedPage !== undefined) {
    writer.object(packedId, `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${packedId + 1} 0 R >>`);
    writer.stream(packedId + 1, options.packedPage, '/Filter /FlateDecode ');
  }
  return writer.finish();
}

function drawn({ text, x, y, size = 11, bold = false, code = false }: PdfLine): string {
  const escaped = text.replaceAll('•', '\x95').replace(/[\\()]/g, '\\$&');
  return `BT /${code ? 'F3' : bold ? 'F2' : 'F1'} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped}) Tj ET`;
}

function annotation(writer: PdfWriter, id: number, { text, x, y, size = 11, href = '' }: PdfLine): string {
  const right = x + text.length * size * WIDTH_OF_CHARACTER;
  const action = `<< /S /URI /URI ${writer.string(id, href)} >>`;
  return `<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [${x} ${y - 2} ${right} ${y + size}] /A ${action} >>`;
}

class PdfWriter {
  readonly #parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  readonly #offsets = new Map<number, number>();
  readonly #key: Buffer | undefined;
  readonly #owner = createHash('sha256').update('owner').digest();
  readonly #id = Buffer.from('0123456789abcdef');
  readonly #user: Buffer | undefined;
  #length = this.#parts[0]?.length ?? 0;

  constructor(password: string | undefined) {
    if (password === undefined) return;
    const padded = Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);
    const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
    const hash = createHash('md5').update(padded).update(this.#owner).update(permissions).update(this.#id);
    this.#key = hash.digest().subarray(0, 5);
    this.#user = rc4(this.#key, PADDING);
  }

  object(id: number, body: string): void {
    this.#offsets.set(id, this.#length);
    this.#write(Buffer.from(`${id} 0 obj\n${body}\nendobj\n`, 'latin1'));
  }

  stream(id: number, body: Buffer, filter = ''): void {
    const bytes = this.#sealed(id, body);
    this.#offsets.set(id, this.#length);
    this.#write(Buffer.from(`${id} 0 obj\n<< ${filter}/Length ${bytes.length} >>\nstream\n`, 'latin1'));
    this.#write(bytes);
    this.#write(Buffer.from('\nendstream\nendobj\n'));
  }

  string(id: number, text: string): string {
    return `<${this.#sealed(id, Buffer.from(text, 'latin1')).toString('hex')}>`;
  }

  finish(): Buffer {
    if (this.#user !== undefined) {
      const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`;
      this.object(6, `<< /Filter /Standard /V 1 /R 2 /O ${hex(this.#owner)} /U ${hex(this.#user)} /P -4 >>`);
    }
    const size = Math.max(...this.#offsets.keys()) + 1;
    const start = this.#length;
    const rows = Array.from({ length: size }, (_, id) => {
      const offset = this.#offsets.get(id);
      return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
    });
    const encrypt = this.#user === undefined ? '' : '/Encrypt 6 0 R ';
    const id = `<${this.#id.toString('hex')}>`;
    const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R ${encrypt}/ID [${id} ${id}] >>`;
    this.#write(Buffer.from(`xref\n0 ${size}\n${rows.join('')}${trailer}\nstartxref\n${start}\n%%EOF\n`));
    return Buffer.concat(this.#parts);
  }

  #sealed(id: number, bytes: Buffer): Buffer {
    if (this.#key === undefined) return bytes;
    const salt = Buffer.from([id & 0xff, (id >> 8) & 0xff, (id >> 16) & 0xff, 0, 0]);
    return rc4(createHash('md5').update(this.#key).update(salt).digest().subarray(0, 10), bytes);
  }

  #write(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }
}

/** OpenSSL 3 no longer has RC4; old PDFs use it. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  const at = (i: number): number => state[i & 255] ?? 0;
  const swap = (i: number, j: number): void => {
    const held = at(i);
    state[i & 255] = at(j);
    state[j & 255] = held;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let j = 0;
  return Buffer.from(
    data.map((byte, n) => {
      const i = (n + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
