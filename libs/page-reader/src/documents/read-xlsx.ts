import { messageOf } from '@tidemark/errors';
import readSheets from 'read-excel-file/universal';
import { BrokenDocument, type DocumentContent, type DocumentLimits } from './model/document.ts';
import { READ_XLSX_MARKUP_CHARS } from './model/thresholds.ts';
import { heading, table } from './model/write-html.ts';
import { coreOf } from './office-file.ts';
import { trimXml } from './trim-xml.ts';
import { type Zip, zipOf } from './zip.ts';

/**
 * Reads a workbook: every sheet as a table under its name. The library receives only the parts it needs, cut to the
 * limits.
 */
export async function readXlsx(zip: Zip, limits: DocumentLimits): Promise<DocumentContent> {
  const { parts, isCut } = cutParts(zip, limits);
  const sheets = await parse(zipOf(parts));
  const notes = new Set<string>(isCut ? [`sheet cut to ${limits.rows} rows and ${limits.columns} columns`] : []);
  let cells = limits.cells;
  let html = '';
  for (const { sheet, data } of sheets) {
    const rows = withoutEmptyEdges(data.map((row) => row.map(shown)));
    const fitting = rows.slice(0, Math.max(0, Math.floor(cells / Math.max(1, rows[0]?.length ?? 1))));
    if (fitting.length < rows.length) notes.add(`workbook cut after ${limits.cells} cells`);
    cells -= fitting.length * (rows[0]?.length ?? 0);
    html += heading(2, sheet) + (fitting.length > 0 ? table(fitting) : '');
  }
  const { properties, ...core } = coreOf(zip, 'xlsx');
  return {
    html,
    ...core,
    properties: { ...properties, sheets: sheets.map(({ sheet }) => sheet) },
    notes: [...notes],
    shape: 'table',
  };
}

async function parse(file: Uint8Array): Promise<{ sheet: string; data: readonly (readonly unknown[])[] }[]> {
  try {
    const buffer = new ArrayBuffer(file.byteLength);
    new Uint8Array(buffer).set(file);
    return await readSheets(buffer);
  } catch (error) {
    throw new BrokenDocument(messageOf(error));
  }
}

function cutParts(zip: Zip, limits: DocumentLimits): { parts: Record<string, Uint8Array>; isCut: boolean } {
  const parts: Record<string, Uint8Array> = {};
  let isCut = false;
  for (const name of zip.names) {
    const isRead =
      /^(?:_rels\/|\[Content_Types\]|xl\/(?:workbook|styles|sharedStrings|_rels\/|worksheets\/[^/]+\.xml$))/i;
    if (!isRead.test(name) || name.includes('..')) continue;
    const xml = zip.xml(name) ?? '';
    const cut = trimXml(xml, ({ name: tag, attributes, index, start }) => {
      if (start > READ_XLSX_MARKUP_CHARS) return tag === 'row' || tag === 'c' || tag === 'si';
      if (tag === 'row') return index >= limits.rows || Number(attributes['r'] ?? 0) > limits.rows;
      return tag === 'c' && isBeyond(attributes['r'] ?? '', limits);
    });
    isCut ||= cut.refused > 0;
    // The declared size of a sheet may be false and is removed.
    parts[name] = Buffer.from(trimXml(cut.xml, ({ name: tag }) => tag === 'dimension').xml);
  }
  return { parts, isCut };
}

/** True if a cell such as `XFD1048576` is beyond the limits. One such cell would make a table of 17 billion. */
function isBeyond(address: string, limits: DocumentLimits): boolean {
  const [, letters = '', row = '0'] = /^([A-Z]{1,7})(\d{1,12})$/i.exec(address) ?? [];
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column > limits.columns || Number(row) > limits.rows;
}

/** Formats dates as ISO 8601, with time if present; other values as stored. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date || Object.prototype.toString.call(value) === '[object Date]')
    return dateShown(new Date(Number(value)));
  // Rounds to 15 digits, as spreadsheets do: 0.1 + 0.2 is 0.3.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return String(value).slice(0, 32_767);
}

function dateShown(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const iso = date.toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}

/** Removes empty rows and columns at the end. */
function withoutEmptyEdges(rows: readonly (readonly string[])[]): string[][] {
  const isFilled = (cell: string): boolean => cell !== '';
  const height = rows.findLastIndex((row) => row.some(isFilled)) + 1;
  const width = Math.max(0, ...rows.slice(0, height).map((row) => row.findLastIndex(isFilled) + 1));
  return rows.slice(0, height).map((row) => Array.from({ length: width }, (_, i) => row[i] ?? ''));
}
