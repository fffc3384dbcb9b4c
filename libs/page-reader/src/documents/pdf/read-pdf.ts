import { messageOf, nameOf } from '@tidemark/errors';
import { getDocumentProxy } from 'unpdf';
import {
  BrokenDocument,
  type DocumentContent,
  type DocumentInput,
  type DocumentLimits,
  defined,
  ProtectedDocument,
} from '../model/document.ts';
import { CODE_SHARE, HEADING_RATIO, LINKS_ON_A_PAGE, RUNS_ON_A_PAGE } from '../model/thresholds.ts';
import { type LinkArea, linesOf, type Run, type Segment, segmentsOf } from './pdf-line.ts';
import { inReadingOrder } from './reading-order.ts';
import { withoutRunningLines } from './running-lines.ts';
import { BlockWriter, roundSize, type Typography } from './write-blocks.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<Pdf['getPage']>>;

/** Reads a PDF as paragraphs, headings, lists, tables and links. */
export async function readPdf({ bytes }: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const pdf = await open(bytes);
  try {
    const metadata = await pdf.getMetadata().catch(() => undefined);
    const { pages, notes } = await readPages(pdf, limits);
    const hasText = pages.some((page) => page.length > 0);
    return {
      html: write(pages),
      ...infoOf(metadata?.info, pdf.numPages),
      notes: hasText ? notes : [...notes, 'no text layer'],
    };
  } finally {
    await pdf.loadingTask.destroy().catch(() => undefined);
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      // Fonts are not rendered.
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
      maxImageSize: 1,
      stopAtErrors: false,
    });
  } catch (error) {
    if (nameOf(error) === 'PasswordException') throw new ProtectedDocument();
    throw new BrokenDocument(messageOf(error));
  }
}

async function readPages(pdf: Pdf, limits: DocumentLimits): Promise<{ pages: Segment[][]; notes: string[] }> {
  const pages: Segment[][] = [];
  const startedAtMs = performance.now();
  let chars = 0;
  let broken = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const isSpent = performance.now() - startedAtMs > limits.readMs || chars > limits.textChars;
    if (number > limits.pages || isSpent) {
      return { pages, notes: [`document cut after ${pages.length} pages`, ...brokenPages(broken)] };
    }
    const segments = await readPdfPage(pdf, number).catch(() => undefined);
    if (segments === undefined) broken += 1;
    for (const { text } of segments ?? []) chars += text.length;
    pages.push(segments ?? []);
  }
  if (broken === pdf.numPages) throw new BrokenDocument('none of its pages can be read');
  return { pages, notes: brokenPages(broken) };
}

const brokenPages = (count: number): string[] => (count === 0 ? [] : [`${count} pages could not be read`]);

async function readPdfPage(pdf: Pdf, number: number): Promise<Segment[]> {
  const page = await pdf.getPage(number);
  try {
    const { items, styles } = await page.getTextContent();
    const [a, b, c, d, e, f] = page.getViewport({ scale: 1 }).transform;
    const place = (x: number, y: number): [number, number] => [
      (a ?? 1) * x + (c ?? 0) * y + (e ?? 0),
      (b ?? 0) * x + (d ?? 1) * y + (f ?? 0),
    ];
    const isTurned = (a ?? 1) === 0;
    const runs = items
      .slice(0, RUNS_ON_A_PAGE)
      .flatMap((item) =>
        'str' in item
          ? runOf(item, { place, isTurned, isCode: styles[item.fontName]?.fontFamily === 'monospace' })
          : [],
      );
    return segmentsOf(runs, await linksOn(page, place));
  } finally {
    page.cleanup();
  }
}

type Item = Extract<Awaited<ReturnType<PdfPage['getTextContent']>>['items'][number], { str: string }>;
type Place = (x: number, y: number) => [number, number];

function runOf(item: Item, { place, isTurned, isCode }: { place: Place; isTurned: boolean; isCode: boolean }): Run[] {
  if (item.str.trim() === '') return [];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform.map(Number);
  // Vertical text beside horizontal text is a stamp or a margin note.
  if (Math.abs(b) > Math.abs(a) !== isTurned) return [];
  const [x, y] = place(e, f);
  const size = Math.hypot(c, d) || item.height || 1;
  return [{ text: item.str, x, y, width: item.width, size, isCode, isRtl: item.dir === 'rtl' }];
}

async function linksOn(page: PdfPage, place: Place): Promise<LinkArea[]> {
  const annotations: unknown = await page.getAnnotations().catch(() => []);
  if (!Array.isArray(annotations)) return [];
  return annotations.slice(0, LINKS_ON_A_PAGE).flatMap((annotation: unknown) => {
    if (typeof annotation !== 'object' || annotation === null) return [];
    const url: unknown = Reflect.get(annotation, 'url');
    const rect: unknown = Reflect.get(annotation, 'rect');
    if (typeof url !== 'string' || !Array.isArray(rect)) return [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect.map(Number);
    const [[left, top], [right, bottom]] = [place(x1, y1), place(x2, y2)];
    const area = { left: Math.min(left, right), right: Math.max(left, right) };
    return [{ ...area, top: Math.min(top, bottom), bottom: Math.max(top, bottom), url }];
  });
}

function write(pages: readonly (readonly Segment[])[]): string {
  const bare = withoutRunningLines(pages);
  const writer = new BlockWriter(typographyOf(bare));
  for (const [i, segments] of bare.entries()) writer.page(linesOf(inReadingOrder(segments)), i === 0);
  return writer.finish();
}

/** The most frequent size is that of body text; clearly larger text is a heading. */
function typographyOf(pages: readonly (readonly Segment[])[]): Typography {
  const letters = new Map<number, number>();
  for (const { size, text } of pages.flat()) {
    const rounded = roundSize(size);
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  const [body = 10] = [...letters].sort((a, b) => b[1] - a[1]).map(([size]) => size);
  const headings = [...letters.keys()]
    .filter((size) => size >= body * HEADING_RATIO && size >= body + 1)
    .sort((a, b) => b - a);
  const all = pages.flat();
  const code = all.filter(({ isCode }) => isCode).length;
  // If most text is monospaced, monospaced text is body text.
  return { hasCode: code < all.length * CODE_SHARE, headings: headings.slice(0, 5) };
}

/** Reads the document information dictionary: ISO 32000-1 14.3.3 */
function infoOf(info: object | undefined, pages: number): Pick<DocumentContent, 'title' | 'language' | 'properties'> {
  const fieldText = (name: string): string | undefined => {
    const value: unknown = info === undefined ? undefined : Reflect.get(info, name);
    return typeof value === 'string' ? value.trim().slice(0, 1_000) || undefined : undefined;
  };
  const author = fieldText('Author');
  const subject = fieldText('Subject');
  const [keywords, generator] = [fieldText('Keywords'), fieldText('Producer')];
  const [created, modified] = [dateOf(fieldText('CreationDate')), dateOf(fieldText('ModDate'))];
  return {
    ...defined({ title: titleOf(fieldText('Title')), language: fieldText('Language') }),
    properties: { kind: 'pdf', pages, ...defined({ author, subject, keywords, generator, created, modified }) },
  };
}

/** Programs use the file name as title if none is set. Such titles are dropped. */
const titleOf = (title: string | undefined): string | undefined =>
  /^(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|rtf|odt|indd|tex|dvi|pptx?|xlsx?|pdf))$/i.test(title ?? '')
    ? undefined
    : title;

/** Parses `D:20240229120000+01'00'`: ISO 32000-1 7.9.4 */
function dateOf(text: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? '');
  if (match === null) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, offset, minutes] = match;
  const zone = sign === undefined ? 'Z' : `${sign}${offset}:${minutes ?? '00'}`;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
