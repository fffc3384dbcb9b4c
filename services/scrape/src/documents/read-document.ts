import type { DocumentContent, DocumentInput, DocumentLimits } from './document.ts';
import { ProtectedDocument } from './document.ts';

/**
 * Reads a document into simple html and what it says of itself. Readers are loaded when the first document of their kind
 * comes, so that pages pay nothing for them.
 *
 * @throws BrokenDocument where it can't be read
 * @throws ProtectedDocument where it opens with a password only
 */
export async function readDocument(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  switch (input.kind) {
    case 'protected':
      throw new ProtectedDocument();
    case 'pdf':
      return (await import('./pdf/read-pdf.ts')).readPdf(input, limits);
    case 'docx':
    case 'xlsx':
    case 'pptx':
      return readOffice(input, limits);
    case 'csv':
    case 'tsv':
      return (await import('./read-csv.ts')).readCsv(input, limits);
    case 'json':
    case 'ndjson':
      return (await import('./read-json.ts')).readJson(input, limits);
    case 'xml':
    case 'svg':
      return (await import('./read-xml.ts')).readXml(input, limits);
    case 'markdown':
      return (await import('./read-markdown.ts')).readMarkdown(input, limits);
    case 'image':
      return (await import('./read-image.ts')).readImage(input);
  }
}

/** Servers take one Office file for another; the file itself knows. */
async function readOffice({ bytes }: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { Zip } = await import('./zip.ts');
  const { officeKindIn } = await import('./office.ts');
  const zip = new Zip(bytes, limits);
  switch (officeKindIn(zip)) {
    case 'docx':
      return (await import('./read-docx.ts')).readDocx(zip, limits);
    case 'xlsx':
      return (await import('./read-xlsx.ts')).readXlsx(zip, limits);
    case 'pptx':
      return (await import('./read-pptx.ts')).readPptx(zip, limits);
  }
}
