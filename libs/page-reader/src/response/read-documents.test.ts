import { describe, expect, it } from '@jest/globals';
import { docxParts, pptxParts, xlsxParts, zipped } from '../../test/documents/make-office.ts';
import { makePdf, type PdfLine } from '../../test/documents/make-pdf.ts';
import { documentTask, OFFICE_TYPES, shown } from '../../test/documents/read-task.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';

const read = async (body: Buffer | string, contentType: string | undefined, more: Partial<ReadTask> = {}) =>
  shown(await readBody(documentTask(body, contentType, more)));

/** Lines of one column, from the top of the page down. */
const column = (texts: readonly string[], more: Partial<PdfLine> = {}): PdfLine[] =>
  texts.map((text, i) => ({ text, x: 72, y: 700 - i * 14, ...more }));

describe('PDF', () => {
  it('is read as headings, paragraphs, lists and links, with words hyphenated at a line end joined', async () => {
    const page = await read(
      makePdf(
        [
          [
            { text: 'Tides of the north', x: 72, y: 740, size: 22 },
            ...column([
              'Water rises and falls in every har-',
              'bour of the coast, twice a day and',
              'never at the same hour.',
            ]),
            { text: '• High water', x: 72, y: 640 },
            { text: '• Low water', x: 72, y: 626 },
            { text: 'The tables', x: 72, y: 590, href: 'https://example.com/tables' },
          ],
        ],
        { title: 'Tide report', author: 'Ada Shore' },
      ),
      'application/pdf',
    );
    expect(page.markdown).toBe(
      '# Tides of the north\n\nWater rises and falls in every harbour of the coast, twice a day and never at the same hour.\n\n' +
        '- High water\n- Low water\n\n[The tables](https://example.com/tables)',
    );
    expect(page).toMatchObject({ title: 'Tide report', errorCode: 'OK', rawHtml: undefined, signals: ['document'] });
    expect(page.head).toMatchObject({
      title: 'Tide report',
      document: { kind: 'pdf', pages: 1, author: 'Ada Shore', created: '2024-02-29T11:00:00.000Z' },
    });
    expect(page.links).toEqual([expect.objectContaining({ url: 'https://example.com/tables', text: 'The tables' })]);
  });

  it('with two columns is read column by column, below what spans both', async () => {
    const left = [
      'Left one says this here',
      'left two says this here',
      'left three says this',
      'left four says this',
      'left five ends here.',
    ];
    const right = left.map((text) => text.replace('eft', 'ight').replace(/^L/, 'R').replace(/^l/, 'r'));
    const title = { text: 'A title that lies across both of the columns of this page', x: 72, y: 740, size: 18 };
    const lines = left.flatMap((text, i) => [
      { text, x: 72, y: 700 - i * 14 },
      { text: right[i] ?? '', x: 330, y: 700 - i * 14 },
    ]);
    const { text = '' } = await read(makePdf([[title, ...lines]]), 'application/pdf');
    expect(text.indexOf('left five ends')).toBeLessThan(text.indexOf('Right one says'));
    expect(text.startsWith('A title')).toBe(true);
  });

  it('omits running headers, footers and page numbers and joins text across pages', async () => {
    const pages = Array.from({ length: 5 }, (_, i) => [
      { text: 'The Tide Almanac', x: 72, y: 770 },
      ...column([`Page ${'abcde'[i]} begins with a line of words`, 'and its sentence goes on']),
      { text: `${i + 1}`, x: 300, y: 30 },
    ]);
    const { text = '', markdown = '' } = await read(makePdf(pages), 'application/pdf');
    expect(text).not.toContain('Almanac');
    expect(text).not.toMatch(/^\d$/m);
    expect(markdown).toContain('Page e begins');
  });

  it('writes values in rows as a table', async () => {
    const rows = [
      ['Port', 'Range', 'Rise'],
      ['Hull', '6.9', '3.2'],
      ['Dover', '5.9', '3.0'],
      ['Oban', '3.3', '1.7'],
    ];
    const lines = rows.flatMap((row, i) => row.map((text, j) => ({ text, x: 72 + j * 120, y: 700 - i * 14 })));
    const { markdown } = await read(makePdf([lines]), 'application/pdf');
    expect(markdown).toContain('| Hull | 6.9 | 3.2 |');
  });

  it('writes monospaced text as code, with its indentation', async () => {
    const code = [
      { text: 'if (tide) {', x: 72, y: 660, size: 10, code: true },
      { text: 'rise();', x: 84, y: 648, size: 10, code: true },
      { text: '}', x: 72, y: 636, size: 10, code: true },
    ];
    const prose = column([
      'Every harbour does it like this,',
      'and has done so for long:',
      'none does it otherwise here.',
    ]);
    const { markdown } = await read(makePdf([[...prose, ...code]]), 'application/pdf');
    expect(markdown).toContain('```\nif (tide) {\n  rise();\n}\n```');
  });

  it('with only images is thin and notes that it has no text layer', async () => {
    expect(await read(makePdf([[]]), 'application/pdf')).toMatchObject({
      verdict: 'thin',
      warnings: ['short', 'no text layer'],
      words: 0,
    });
  });

  it.each(['application/octet-stream', 'text/html', undefined])(
    'is recognised by its bytes when served as %s',
    async (type) => {
      const page = await read(makePdf([column(['Known by its bytes'])]), type);
      expect(page).toMatchObject({ text: 'Known by its bytes', head: { document: { kind: 'pdf' } } });
    },
  );
});

describe('Office file', () => {
  it('of Word is read with its headings, links and tables, and descriptions of images', async () => {
    const page = await read(zipped(docxParts()), OFFICE_TYPES.docx);
    expect(page.markdown).toBe(
      '# Tides of the north\n\nWater rises & falls \\<twice> a day.\n\nSee [the tables](https://example.com/tables)\n\n' +
        '[A harbour at low tide]\n\n| Port | Range |\n| --- | --- |\n| Hull | 6.9 m |',
    );
    expect(page.head.document).toMatchObject({
      kind: 'docx',
      author: 'Ada Shore',
      created: '2024-02-29T11:00:00.000Z',
    });
    expect(page.cleanHtml).not.toContain('<img');
  });

  it('of Excel is read sheet by sheet, with numbers as formatted and dates as dates', async () => {
    const page = await read(zipped(xlsxParts()), OFFICE_TYPES.xlsx);
    expect(page.markdown).toBe(
      '## Ports\n\n| Port | Range | Measured |\n| --- | --- | --- |\n| Hull & Goole | 6.9 | 2024-02-29 |\n\n## Notes\n\nSecond sheet says',
    );
    expect(page).toMatchObject({ shape: 'table', title: 'Ranges', head: { document: { sheets: ['Ports', 'Notes'] } } });
  });

  it('of PowerPoint is read slide by slide in order, with lists, tables and notes', async () => {
    const page = await read(zipped(pptxParts()), OFFICE_TYPES.pptx);
    expect(page.markdown).toBe(
      '## The sea moves\n\n- High water\n  - Twice a day\n- Low water\n- [the source](https://example.com/source)\n\n' +
        '> Greet the harbour master.\n\n## The measures\n\n| Port | Range |\n| --- | --- |\n| Hull | 6.9 m |',
    );
    expect(page.head.document).toMatchObject({ kind: 'pptx', slides: 2 });
  });

  it.each([
    ['docx', docxParts()],
    ['xlsx', xlsxParts()],
    ['pptx', pptxParts()],
  ])('is recognised as %s by its parts, whatever it is served as', async (kind, parts) => {
    for (const type of ['application/zip', 'application/octet-stream', ...Object.values(OFFICE_TYPES)])
      expect((await read(zipped(parts), type)).head.document).toMatchObject({ kind });
  });
});
