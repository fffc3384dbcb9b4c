import { messageOf } from '@tidemark/errors';
import mammoth from 'mammoth';
import { BrokenDocument, type DocumentContent, type DocumentLimits } from './model/document.ts';
import { READ_DOCX_MARKUP_CHARS } from './model/thresholds.ts';
import { coreOf } from './office-file.ts';
import { simplifyDocxHtml } from './simplify-docx-html.ts';
import { trimXml } from './trim-xml.ts';
import { type Zip, zipOf } from './zip.ts';

/** Reads a Word document. The library gets a file made of what it reads and nothing else, so that no lie in the zip reaches it. */
export async function readDocx(zip: Zip, _limits: DocumentLimits): Promise<DocumentContent> {
  const parts: Record<string, Uint8Array> = {};
  const notes: string[] = [];
  for (const name of zip.names) {
    if (!/\.(?:xml|rels)$/i.test(name) || /^(?:docProps|customXml)\//.test(name) || name.includes('..')) continue;
    const { xml, refused } = trimmed(zip.xml(name) ?? '');
    if (refused > 0) notes.push('document cut after 12 million characters');
    parts[name] = Buffer.from(xml);
  }
  try {
    const input = { buffer: Buffer.from(zipOf(parts)) };
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml(input, { convertImage, idPrefix: '', externalFileAccess: false });
    const { html, isWhole } = simplifyDocxHtml(value);
    if (!isWhole) notes.push('pictures and table cells of a document over 1 million characters are left as they are');
    return { html, ...coreOf(zip, 'docx'), notes };
  } catch (error) {
    throw new BrokenDocument(messageOf(error));
  }
}

/** Every part passes, since this is also where markup that is nested too deep is found. */
function trimmed(xml: string): { xml: string; refused: number } {
  return trimXml(
    xml,
    ({ parent, start }) => start > READ_DOCX_MARKUP_CHARS && /^(?:body|tbl|footnotes|comments)$/.test(parent),
  );
}
