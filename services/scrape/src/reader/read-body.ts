import { createHash } from 'node:crypto';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import {
  type ContentOptions,
  decodeBody,
  type PageReading,
  type ReadWant,
  type Removed,
  readPage,
} from '../content/read-page.ts';
import { essenceOf, isReadable } from '../domain/media-type.ts';
import { type Judgement, judge } from '../domain/verdict.ts';

/** An answer to be read: bytes in, everything the page row and the formats need out. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly askedUrl: string;
  readonly landedUrl: string;
  readonly rendered: boolean;
  readonly minWords: number;
  /** Languages that are read; none: every one. */
  readonly languages: readonly string[];
  readonly content: ContentOptions;
  /** Whether documents are read beside pages: PDF, Office files, data, images. */
  readonly parseDocuments: boolean;
  readonly formats: readonly string[];
}

export interface ReadResult {
  readonly judgement: Judgement;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly charset: string;
  /** PageBodies bytes: what was asked for, and the head. */
  readonly bodies: Uint8Array;
  /** Tells whether two readings say the same: hash of the main content's text. */
  readonly textHash: string;
  readonly removed: readonly Removed[];
  /** Milliseconds in decoding, and in parsing and writing. */
  readonly decodeMs: number;
  readonly readMs: number;
}

const PARSED = new Set(['markdown', 'text', 'cleanHtml', 'links'] as const);

/** Bytes that are no page: a row that says so, nothing to show, nothing to pay. */
function noPage({ contentType }: ReadTask): ReadResult {
  const what = essenceOf(contentType) || 'binary data';
  const reason = `the answer is ${what}, which is not read as a page`;
  return {
    judgement: {
      verdict: 'skipped',
      errorCode: 'OK',
      shape: 'empty',
      warnings: [`unsupported type: ${what}`],
      signals: [],
      reason,
      climb: false,
    },
    title: undefined,
    language: undefined,
    words: 0,
    charset: '',
    bodies: new Uint8Array(),
    textHash: '',
    removed: [],
    decodeMs: 0,
    readMs: 0,
  };
}

/** Reads and judges one answer. Pure; runs on a worker thread. */
export function readBody(task: ReadTask): ReadResult {
  // A refusal is judged as one, whatever it is wrapped in.
  if (task.status < 400 && !isReadable(task.contentType, task.body)) return noPage(task);
  const startedAtMs = performance.now();
  const { html, charset } = decodeBody(task.body, task.contentType);
  const decodedAtMs = performance.now();
  const wants = new Set<ReadWant>(['text']);
  for (const format of PARSED) if (task.formats.includes(format)) wants.add(format);
  const reading = readPage({
    html,
    url: task.landedUrl,
    content: task.content,
    wants,
    ...(task.contentType === undefined ? {} : { contentType: task.contentType }),
  });
  const judgement = judge({
    httpStatus: task.status,
    headers: { ...task.headers },
    evidence: reading.evidence,
    askedUrl: task.askedUrl,
    landedUrl: task.landedUrl,
    rendered: task.rendered,
    minWords: task.minWords,
  });
  return {
    judgement,
    title: reading.title,
    language: reading.language,
    words: reading.words,
    charset,
    bodies: PageBodies.encode(bodiesOf(task, reading, html)).finish(),
    textHash: createHash('sha1')
      .update(reading.text ?? '')
      .digest('hex'),
    removed: reading.removed ?? [],
    decodeMs: decodedAtMs - startedAtMs,
    readMs: performance.now() - decodedAtMs,
  };
}

function bodiesOf(task: ReadTask, reading: PageReading, html: string): PageBodies {
  const asked = (format: string) => task.formats.includes(format);
  return {
    markdown: asked('markdown') ? reading.markdown : undefined,
    text: asked('text') ? reading.text : undefined,
    cleanHtml: asked('cleanHtml') ? reading.cleanHtml : undefined,
    rawHtml: asked('rawHtml') ? html : undefined,
    linksJson: asked('links') ? JSON.stringify(reading.links ?? []) : undefined,
    headJson: JSON.stringify(reading.head),
    fieldsJson: reading.fields === undefined ? undefined : JSON.stringify(reading.fields),
  };
}
