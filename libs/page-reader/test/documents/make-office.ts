import { strToU8, zipSync } from 'fflate';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument';

/** Returns a zip of parts by name. */
export const zipped = (parts: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))));

const types = (parts: Readonly<Record<string, string>>): string =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/>${Object.entries(parts)
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${TYPE}.${type}+xml"/>`)
    .join('')}</Types>`;

const relations = (targets: readonly { id: string; type: string; target: string; isOutside?: boolean }[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ({ id, type, target, isOutside }) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${isOutside ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

const core = (title: string, author: string): string =>
  `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">` +
  `<dc:title>${title}</dc:title><dc:creator>${author}</dc:creator><dcterms:created>2024-02-29T11:00:00Z</dcterms:created></cp:coreProperties>`;

const paragraph = (text: string, style = ''): string =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

const wordTable = (rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;

const picture =
  '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A harbour at low tide"/><a:graphic><a:graphicData><pic:pic>' +
  '<pic:blipFill><a:blip r:embed="rId3"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';

/** Returns the parts of a Word document: title, headings, a link, an image, a table, and more. */
export function docxParts(more: readonly string[] = []): Record<string, string> {
  const link =
    '<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="rId1"><w:r><w:t>the tables</w:t></w:r></w:hyperlink></w:p>';
  const body = [
    paragraph('Tides of the north', 'Heading1'),
    paragraph('Water rises &amp; falls &lt;twice&gt; a day.'),
    link,
    picture,
    wordTable([
      ['Port', 'Range'],
      ['Hull', '6.9 m'],
    ]),
    ...more.map((text) => paragraph(text)),
  ];
  const spaces =
    `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}" ` +
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"';
  return {
    '[Content_Types].xml': types({ 'word/document.xml': 'wordprocessingml.document.main' }),
    '_rels/.rels': relations([{ id: 'rId1', type: 'officeDocument', target: 'word/document.xml' }]),
    'docProps/core.xml': core('Tide report', 'Ada Shore'),
    'word/document.xml': `${XML}<w:document ${spaces}><w:body>${body.join('')}</w:body></w:document>`,
    'word/styles.xml': `${XML}<w:styles ${spaces}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/_rels/document.xml.rels': relations([
      { id: 'rId1', type: 'hyperlink', target: 'https://example.com/tables', isOutside: true },
      { id: 'rId2', type: 'styles', target: 'styles.xml' },
      { id: 'rId3', type: 'image', target: 'media/harbour.png' },
    ]),
    'word/media/harbour.png': 'not read',
  };
}

/** Returns the parts of a workbook with two sheets: text, numbers and a date; or with the given rows as markup. */
export function xlsxParts(rows?: string): Record<string, string> {
  const shared = ['Port', 'Range', 'Measured', 'Hull &amp; Goole', 'Second sheet says'];
  const usual =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>' +
    '<row r="2"><c r="A2" t="s"><v>3</v></c><c r="B2"><v>6.9000000000000004</v></c><c r="C2" s="1"><v>45351</v></c></row>';
  const space = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"`;
  const sheet = (data: string): string => `${XML}<worksheet ${space}><sheetData>${data}</sheetData></worksheet>`;
  return {
    '[Content_Types].xml': types({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
      'xl/worksheets/sheet2.xml': 'spreadsheetml.worksheet',
      'xl/styles.xml': 'spreadsheetml.styles',
      'xl/sharedStrings.xml': 'spreadsheetml.sharedStrings',
    }),
    '_rels/.rels': relations([{ id: 'rId1', type: 'officeDocument', target: 'xl/workbook.xml' }]),
    'docProps/core.xml': core('Ranges', 'Ada Shore'),
    'xl/workbook.xml': `${XML}<workbook ${space}><sheets><sheet name="Ports" sheetId="1" r:id="rId1"/><sheet name="Notes" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      { id: 'rId1', type: 'worksheet', target: 'worksheets/sheet1.xml' },
      { id: 'rId2', type: 'worksheet', target: 'worksheets/sheet2.xml' },
      { id: 'rId3', type: 'styles', target: 'styles.xml' },
      { id: 'rId4', type: 'sharedStrings', target: 'sharedStrings.xml' },
    ]),
    'xl/styles.xml': `${XML}<styleSheet ${space}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${XML}<sst ${space}>${shared.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': sheet(rows ?? usual),
    'xl/worksheets/sheet2.xml': sheet('<row r="1"><c r="A1" t="s"><v>4</v></c></row>'),
  };
}

const DRAWING =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  `xmlns:r="${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`;

const shape = (place: string, paragraphs: readonly string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr><p:ph ${place}/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`;

const text = (said: string, level = 0): string =>
  `<a:p><a:pPr lvl="${level}"/><a:r><a:rPr/><a:t>${said}</a:t></a:r></a:p>`;

/** Returns the parts of a presentation with two slides: nested bullets, a link, a table, and notes. */
export function pptxParts(): Record<string, string> {
  const slide = (shapes: string): string =>
    `${XML}<p:sld ${DRAWING}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
  const link = '<a:p><a:r><a:rPr><a:hlinkClick r:id="rId2"/></a:rPr><a:t>the source</a:t></a:r></a:p>';
  const cell = (said: string): string => `<a:tc><a:txBody>${text(said)}</a:txBody></a:tc>`;
  const row = (cells: readonly string[]): string => `<a:tr>${cells.map(cell).join('')}</a:tr>`;
  const grid = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${row(['Port', 'Range'])}${row(['Hull', '6.9 m'])}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const bullets = [text('High water'), text('Twice a day', 1), text('Low water'), link];
  return {
    '[Content_Types].xml': types({ 'ppt/presentation.xml': 'presentationml.presentation.main' }),
    '_rels/.rels': relations([{ id: 'rId1', type: 'officeDocument', target: 'ppt/presentation.xml' }]),
    'docProps/core.xml': core('Tides in ten minutes', 'Ada Shore'),
    'ppt/presentation.xml': `${XML}<p:presentation ${DRAWING}><p:sldIdLst><p:sldId id="257" r:id="rId2"/><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations([
      { id: 'rId1', type: 'slide', target: 'slides/slide1.xml' },
      { id: 'rId2', type: 'slide', target: '/ppt/slides/slide2.xml' },
    ]),
    'ppt/slides/slide1.xml': slide(
      `${shape('type="title"', [text('The measures')])}${grid}${shape('type="sldNum"', [text('2')])}`,
    ),
    'ppt/slides/slide2.xml': slide(`${shape('type="ctrTitle"', [text('The sea moves')])}${shape('idx="1"', bullets)}`),
    'ppt/slides/_rels/slide2.xml.rels': relations([
      { id: 'rId1', type: 'notesSlide', target: '../notesSlides/notesSlide1.xml' },
      { id: 'rId2', type: 'hyperlink', target: 'https://example.com/source', isOutside: true },
    ]),
    'ppt/notesSlides/notesSlide1.xml': `${XML}<p:notes ${DRAWING}><p:cSld><p:spTree>${shape('type="body" idx="1"', [text('Greet the harbour master.')])}</p:spTree></p:cSld></p:notes>`,
  };
}
