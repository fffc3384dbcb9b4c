import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { USUAL_CONTENT } from '../../src/options/usual-content.ts';
import type { ReadResult, ReadTask } from '../../src/response/read-task.ts';

export const OFFICE_TYPES = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const;

/** A document as a response to be read, with all outputs. */
export const documentTask = (
  body: Buffer | string,
  contentType: string | undefined,
  more: Partial<ReadTask> = {},
): ReadTask => ({
  body: Buffer.from(body),
  contentType,
  status: 200,
  headers: {},
  requestedUrl: 'https://example.com/files/document',
  landedUrl: 'https://example.com/files/document',
  rendered: false,
  minWords: 0,
  languages: [],
  content: USUAL_CONTENT,
  parseDocuments: true,
  output: 'bodies',
  formats: ['markdown', 'text', 'cleanHtml', 'links', 'rawHtml'],
  ...more,
});

/** The parts of a result that tests compare. */
export function shown(result: ReadResult) {
  const { headJson, linksJson, ...bodies } = PageBodies.decode(result.bodies);
  const head: { title?: string; document?: Record<string, unknown> } = JSON.parse(headJson || '{}');
  const links: { url: string; text: string }[] = JSON.parse(linksJson ?? '[]');
  return { ...result.classification, ...bodies, title: result.title, words: result.words, head, links };
}
