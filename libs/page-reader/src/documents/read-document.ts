import type { DocumentContent, DocumentInput, DocumentLimits } from './model/document.ts';
import { ProtectedDocument } from './model/document.ts';

/**
 * Reads a document into simple html and properties. Each reader is loaded on first use, so that pages have no cost.
 *
 * @throws BrokenDocument if it cannot be read
 * @throws ProtectedDocument if it requires a password
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

/** Servers confuse the kinds of Office files, so the content decides. */
async function readOffice({ bytes }: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { Zip } = await import('./zip.ts');
  const { officeKindIn } = await import('./office-file.ts');
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
