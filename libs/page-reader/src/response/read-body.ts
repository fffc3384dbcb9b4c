import { documentKindOf, isReadable } from '../documents/model/media-type.ts';
import type { HeadData } from '../head/read-head.ts';
import { decodeBody } from '../page/decode-body.ts';
import { type OutputFormat, readPage } from '../page/read-page.ts';
import { classify } from '../verdict/classify.ts';
import { robotsDirectives } from '../verdict/robots-directives.ts';
import { readDocumentBody } from './read-document-body.ts';
import { resultOf, unsupported } from './read-result.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

const PARSED = new Set(['markdown', 'text', 'cleanHtml', 'links'] as const);
const NOTHING = new Uint8Array();

/** Reads and classifies one response: a page, or a document that is read like a page. Pure; runs on a worker thread. */
export async function readBody(task: ReadTask): Promise<ReadResult> {
  const outputs = new Set<OutputFormat>(['text']);
  for (const format of PARSED) if (task.formats.includes(format)) outputs.add(format);
  const isText = isReadable(task.contentType, task.body);
  // A refusal is classified as one, whatever its content type.
  if (task.status < 400) {
    const kind = documentKindOf(task.contentType, task.body, task.landedUrl);
    if (kind !== undefined) return task.parseDocuments ? readDocumentBody(task, kind, outputs) : unsupported(task);
    if (!isText) return unsupported(task);
  }
  const startedAtMs = performance.now();
  const { html, charset } = decodeBody(isText ? task.body : NOTHING, task.contentType);
  const decodedAtMs = performance.now();
  const reading = readPage({
    html,
    url: task.landedUrl,
    content: task.content,
    outputs,
    ...(task.cut === undefined ? {} : { cut: task.cut }),
    ...(task.site === undefined ? {} : { site: task.site }),
    ...(task.contentType === undefined ? {} : { contentType: task.contentType }),
  });
  const classified = classify({
    httpStatus: task.status,
    headers: { ...task.headers },
    evidence: reading.evidence,
    requestedUrl: task.requestedUrl,
    landedUrl: task.landedUrl,
    rendered: task.rendered,
    minWords: task.minWords,
  });
  return resultOf(task, {
    reading,
    classified,
    charset,
    source: html,
    head: headOf(reading.head, task),
    decodeMs: decodedAtMs - startedAtMs,
    readMs: performance.now() - decodedAtMs,
  });
}

/** Returns the head of the markup, plus the X-Robots-Tag header. */
function headOf(head: HeadData, { headers }: ReadTask): HeadData & { readonly xRobotsTag?: string[] } {
  const xRobotsTag = headers['x-robots-tag'] === undefined ? [] : robotsDirectives(headers, undefined);
  return xRobotsTag.length === 0 ? head : { ...head, xRobotsTag };
}
