import { messageOf, nameOf } from '@tidemark/errors';
import { classifyDocument } from '../documents/classify-document.ts';
import { DOCUMENT_LIMITS, type DocumentContent } from '../documents/model/document.ts';
import type { DocumentKind } from '../documents/model/media-type.ts';
import { escapeHtml } from '../documents/model/write-html.ts';
import { readDocument } from '../documents/read-document.ts';
import { type OutputFormat, type PageReading, readPage } from '../page/read-page.ts';
import { countWords } from '../tree/count-words.ts';
import { resultOf, unread } from './read-result.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

/**
 * Reads a document like a page: converts it to html, writes every output with the same writers, classifies it by its
 * words.
 */
export async function readDocumentBody(
  task: ReadTask,
  kind: DocumentKind,
  outputs: ReadonlySet<OutputFormat>,
): Promise<ReadResult> {
  const startedAtMs = performance.now();
  const { body: bytes, contentType, landedUrl: url } = task;
  let document: DocumentContent;
  try {
    document = await readDocument({ kind, bytes, contentType, url }, DOCUMENT_LIMITS);
  } catch (error) {
    return unreadDocument(error);
  }
  const decodedAtMs = performance.now();
  const reading = readingOf(task, document, outputs);
  const { shape } = document;
  const { minWords, headers } = task;
  const classified = classifyDocument({ kind, words: reading.words, minWords, headers, shape });
  return resultOf(task, {
    reading,
    classified,
    charset: '',
    source: undefined,
    head: { ...reading.head, document: document.properties },
    decodeMs: decodedAtMs - startedAtMs,
    readMs: performance.now() - decodedAtMs,
  });
}

/** Reports the error in the page row. A document that exhausts the thread ends it and does not return here. */
function unreadDocument(error: unknown): ReadResult {
  const message = messageOf(error).slice(0, 300);
  if (nameOf(error) === 'ProtectedDocument') {
    return unread({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', warnings: [], reason: message });
  }
  const reason = `the document can’t be read: ${message}`;
  return unread({ verdict: 'skipped', errorCode: 'OK', warnings: [`broken document: ${message}`], reason });
}

function readingOf(task: ReadTask, document: DocumentContent, outputs: ReadonlySet<OutputFormat>): PageReading {
  const { title = '', language = '', html, text, markdown, notes } = document;
  const reading = readPage({
    html: `<!doctype html><html lang="${escapeHtml(language)}"><head><title>${escapeHtml(title)}</title></head><body>${html}</body></html>`,
    url: task.landedUrl,
    // A document has no chrome.
    content: { ...task.content, onlyMainContent: false, removeBanners: false },
    outputs,
    ...(task.cut === undefined ? {} : { cut: task.cut }),
  });
  return {
    ...reading,
    ...(title === '' ? {} : { title, head: { ...reading.head, title } }),
    ...(text === undefined ? {} : { text, words: countWords(text) }),
    ...(markdown === undefined || reading.markdown === undefined ? {} : { markdown }),
    notes: [...reading.notes, ...notes],
  };
}
