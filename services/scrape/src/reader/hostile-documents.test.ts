import { deflateRawSync, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { docxParts, xlsxParts, zipped } from '@tidemark/page-reader/testing/documents/make-office';
import { makePdf } from '@tidemark/page-reader/testing/documents/make-pdf';
import { documentTask, OFFICE_TYPES, shown } from '@tidemark/page-reader/testing/documents/read-task';
import { ReadPool } from './read-pool.ts';

let pool: ReadPool;
beforeAll(() => {
  pool = new ReadPool({ threads: 1 });
});
afterAll(() => pool.close());

const read = async (body: Buffer | string, type: string) => shown(await pool.read(documentTask(body, type)));
const broken = {
  verdict: 'skipped',
  errorCode: 'OK',
  words: 0,
  warnings: [expect.stringMatching(/^broken document: /)],
};

/** Builds a zip by hand, with headers that may be false. */
function zipOfEntries(entries: readonly { name: string; data: Buffer; size?: number; flags?: number }[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, data, size = data.length, flags = 0 } of entries) {
    const packed = deflateRawSync(data);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  const listed = Buffer.concat(directory);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, listed, end]);
}

const entriesOf = (parts: Readonly<Record<string, string>>) =>
  Object.entries(parts).map(([name, text]) => ({ name, data: Buffer.from(text) }));

describe('broken document', () => {
  it.each([
    ['a PDF that is none', 'no pdf at all', 'application/pdf'],
    ['a PDF cut short after its header', makePdf([[]]).subarray(0, 30), 'application/pdf'],
    ['an Office file that is none', 'no zip at all', OFFICE_TYPES.docx],
    ['a zip cut short', zipped(docxParts()).subarray(0, 900), OFFICE_TYPES.docx],
    ['an Office file without its main part', zipped({ ...docxParts(), 'word/document.xml': '' }), OFFICE_TYPES.docx],
    ['a picture cut short', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'image/png'],
  ])('is skipped, free and reports the reason: %s', async (_, body, type) => {
    expect(await read(Buffer.from(body), type)).toMatchObject(broken);
  });

  it('is read up to its end if it is a truncated PDF', async () => {
    const pdf = makePdf([[{ text: 'Still here', x: 72, y: 700 }]]);
    expect((await read(pdf.subarray(0, pdf.length - 60), 'application/pdf')).text).toBe('Still here');
  });
});

describe('password-protected document', () => {
  it('is blocked if it is a PDF, and reports the reason', async () => {
    const pdf = makePdf([[{ text: 'secret', x: 72, y: 700 }]], { password: 'tide' });
    expect(await read(pdf, 'application/pdf')).toMatchObject({
      verdict: 'blocked',
      errorCode: 'LOGIN_REQUIRED',
      reason: 'the document is protected by a password',
    });
  });

  it('is read if it opens without the password', async () => {
    const pdf = makePdf([[{ text: 'open to all', x: 72, y: 700 }]], { password: '' });
    expect((await read(pdf, 'application/pdf')).text).toBe('open to all');
  });

  it('is blocked if it is an Office file, and reports the reason', async () => {
    const container = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    expect(await read(container, OFFICE_TYPES.docx)).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED' });
  });
});

describe('hostile zip', () => {
  it('is refused before unpacking if it declares more than the limit', async () => {
    const entries = [...entriesOf(docxParts()), { name: 'word/more.xml', data: Buffer.alloc(10), size: 2 ** 31 }];
    expect(await read(zipOfEntries(entries), OFFICE_TYPES.docx)).toMatchObject(broken);
  });

  it('is stopped while unpacking if it contains more than it declares', async () => {
    const bomb = { name: 'word/footnotes.xml', data: Buffer.alloc(60_000_000), size: 10 };
    const page = await read(zipOfEntries([...entriesOf(docxParts()), bomb]), OFFICE_TYPES.docx);
    expect(page).toMatchObject(broken);
    expect(page.reason).toMatch(/unpacks to more than/);
  });

  it('is refused if it has too many entries', async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => ({ name: `word/${i}.xml`, data: Buffer.alloc(0) }));
    expect((await read(zipOfEntries([...entriesOf(docxParts()), ...many]), OFFICE_TYPES.docx)).reason).toMatch(
      /more than 10000 entries/,
    );
  });

  it('is read by its first valid parts if names are duplicated or contain ..', async () => {
    const more = [
      { name: '../../etc/passwd', data: Buffer.from('x') },
      { name: 'word/../../evil.xml', data: Buffer.from('<a/>') },
      { name: 'word/document.xml', data: Buffer.from('<second/>') },
    ];
    expect((await read(zipOfEntries([...entriesOf(docxParts()), ...more]), OFFICE_TYPES.docx)).text).toContain(
      'Tides of the north',
    );
  });

  it('is refused if its parts declare entities', async () => {
    const laughs = '<!DOCTYPE a [<!ENTITY b "hahaha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>';
    expect(await read(zipped({ ...docxParts(), 'word/document.xml': laughs }), OFFICE_TYPES.docx)).toMatchObject(
      broken,
    );
  });

  it('is protected if its entries are encrypted', async () => {
    const entries = entriesOf(docxParts()).map((entry) => ({ ...entry, flags: 1 }));
    expect(await read(zipOfEntries(entries), OFFICE_TYPES.docx)).toMatchObject({ errorCode: 'LOGIN_REQUIRED' });
  });
});

describe('PDF that unpacks to a thousand times its size', () => {
  it('ends its thread before it uses much memory, and the next page is read', async () => {
    const bomb = makePdf([[]], { packedPage: deflateSync(Buffer.alloc(300_000_000, 'q ')) });
    const small = new ReadPool({ threads: 1, bufferMb: 100 });
    await expect(small.read(documentTask(bomb, 'application/pdf'))).rejects.toMatchObject({
      name: 'Unreadable',
      message: expect.stringMatching(/MB of buffers|took longer than/),
    });
    expect(shown(await small.read(documentTask('a,b', 'text/csv'))).text).toBe('a\tb');
    await small.close();
  });
});

describe('very large document', () => {
  it('is cut if it is a PDF of 2,000 pages, with a note of the number of pages', async () => {
    const pages = Array.from({ length: 2_000 }, (_, i) => [{ text: `This is what page ${i} says`, x: 72, y: 700 }]);
    const page = await read(makePdf(pages), 'application/pdf');
    expect(page.verdict).toBe('ok');
    expect(page.warnings).toEqual([expect.stringMatching(/^document cut after \d+ pages$/)]);
    expect(page.head.document).toMatchObject({ pages: 2_000 });
  });

  it('is cut in its table and complete in its text if it has a million values in rows', async () => {
    const row = Array.from({ length: 20 }, (_, i) => `v${i}`).join(',');
    const page = await read(`${row}\n`.repeat(50_000), 'text/csv');
    expect(page).toMatchObject({ verdict: 'ok', shape: 'table', words: 1_000_000 });
    expect(page.warnings).toEqual(['table cut after 5000 of 50000 rows']);
    expect(page.text?.split('\n')).toHaveLength(50_000);
  });

  it('is read at its start if it is a sheet with a cell in the last row and column', async () => {
    const rows =
      '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>';
    const page = await read(zipped(xlsxParts(rows)), OFFICE_TYPES.xlsx);
    expect(page.text).toContain('Ports');
    expect(page.warnings).toContain('sheet cut to 10000 rows and 500 columns');
  });

  it('ends with a verdict if it is JSON nested 100,000 levels deep', async () => {
    const depth = 100_000;
    const page = await read(`${'['.repeat(depth)}1${']'.repeat(depth)}`, 'application/json');
    expect(page.verdict).toMatch(/ok|thin/);
  });

  it('ends with a verdict if it is XML nested 100,000 levels deep', async () => {
    const depth = 100_000;
    const page = await read(`<rss><channel>${'<a>'.repeat(depth)}x${'</a>'.repeat(depth)}</channel></rss>`, 'text/xml');
    expect(page.verdict).toMatch(/ok|thin/);
  });

  it.each([1_000, 100_000])(
    'ends with a verdict if it is a Word document nested %d levels deep',
    async (depth) => {
      const parts = docxParts();
      const deep = `${'<w:p>'.repeat(depth)}${'</w:p>'.repeat(depth)}</w:body>`;
      const body = parts['word/document.xml']?.replace('</w:body>', deep) ?? '';
      expect((await read(zipped({ ...parts, 'word/document.xml': body }), OFFICE_TYPES.docx)).verdict).toMatch(
        /skipped|thin/,
      );
    },
    20_000,
  );

  it('leaves its thread usable for the next page', async () => {
    expect((await read('a,b\n1,2', 'text/csv')).text).toBe('a\tb\n1\t2');
  });
});
