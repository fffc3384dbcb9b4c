const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Returns the parts of a workbook with these sheets beside the sheets themselves (ECMA-376 part 2, Open Packaging Conventions), by path. */
export function workbookParts(names: readonly string[]): ReadonlyMap<string, string> {
  const numbers = names.map((_, index) => index + 1);
  const relations = numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`));
  return new Map([
    ['[Content_Types].xml', contentTypes(numbers)],
    ['_rels/.rels', relationships([relation('rId1', 'officeDocument', 'xl/workbook.xml')])],
    ['xl/workbook.xml', workbook(names)],
    ['xl/_rels/workbook.xml.rels', relationships([...relations, relation('rIdStyles', 'styles', 'styles.xml')])],
    ['xl/styles.xml', STYLES],
  ]);
}

function contentTypes(numbers: readonly number[]): string {
  const override = (part: string, kind: string) => `<Override PartName="${part}" ContentType="${TYPE}.${kind}+xml"/>`;
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('/xl/workbook.xml', 'sheet.main')}${override('/xl/styles.xml', 'styles')}${numbers.map((n) => override(`/xl/worksheets/sheet${n}.xml`, 'worksheet')).join('')}</Types>`;
}

function workbook(names: readonly string[]): string {
  const sheets = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`;
}

function relationships(items: readonly string[]): string {
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${items.join('')}</Relationships>`;
}

function relation(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
}

/** Two cell formats: the default, and times as `yyyy-mm-dd hh:mm:ss`. */
const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
