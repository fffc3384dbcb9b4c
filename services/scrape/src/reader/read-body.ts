import {
  type ContentOptions,
  type CutOptions,
  decodeBody,
  type HeadData,
  type ReadWant,
  type RemovedPart,
  readPage,
} from '../content/read-page.ts';
import type { Compared } from '../domain/compared.ts';
import { documentKindOf, isReadable } from '../domain/media-type.ts';
import type { PageGraph } from '../domain/page-graph.ts';
import { type Judgement, judge } from '../domain/verdict.ts';
import { robotsDirectives } from '../domain/verdict-directives.ts';
import { readDocumentBody } from './read-document-body.ts';
import { noPage, resultOf } from './read-result.ts';

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
  /** The page is cut into blocks, to be compared with other readings; absent: it is not. */
  readonly cut?: CutOptions;
  /** Whether documents are read beside pages: PDF, Office files, data, images. */
  readonly parseDocuments: boolean;
  readonly formats: readonly string[];
  /**
   * What its taker goes on with: the bodies where somebody waits for them, what a crawl follows, neither; bodies that are kept nowhere;
   * or the verdict and no more.
   */
  readonly wants: 'bodies' | 'graph' | 'nothing' | 'unkept' | 'verdict';
}

export interface ReadResult {
  readonly judgement: Judgement;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly charset: string;
  /** PageBodies bytes: what was asked for, and the head. */
  readonly bodies: Uint8Array;
  /** Where it was cut into blocks and is no refusal. */
  readonly compared: Compared | undefined;
  /** Where it is wanted and the answer was read as a page. */
  readonly graph: PageGraph | undefined;
  /** Tells whether two readings say the same: hash of the main content's text. */
  readonly textHash: string;
  readonly removed: readonly RemovedPart[];
  /** Milliseconds in decoding, and in parsing and writing. */
  readonly decodeMs: number;
  readonly readMs: number;
}

const PARSED = new Set(['markdown', 'text', 'cleanHtml', 'links'] as const);
const NOTHING = new Uint8Array();

/** Reads and judges one answer: a page, or a document like a page. Pure; runs on a worker thread. */
export async function readBody(task: ReadTask): Promise<ReadResult> {
  const wants = new Set<ReadWant>(['text']);
  for (const format of PARSED) if (task.formats.includes(format)) wants.add(format);
  const isText = isReadable(task.contentType, task.body);
  // A refusal is judged as one, whatever it is wrapped in.
  if (task.status < 400) {
    const kind = documentKindOf(task.contentType, task.body, task.landedUrl);
    if (kind !== undefined) return task.parseDocuments ? readDocumentBody(task, kind, wants) : noPage(task);
    if (!isText) return noPage(task);
  }
  const startedAtMs = performance.now();
  const { html, charset } = decodeBody(isText ? task.body : NOTHING, task.contentType);
  const decodedAtMs = performance.now();
  const reading = readPage({
    html,
    url: task.landedUrl,
    content: task.content,
    wants,
    ...(task.cut === undefined ? {} : { cut: task.cut }),
    ...(task.contentType === undefined ? {} : { contentType: task.contentType }),
  });
  const judged = judge({
    httpStatus: task.status,
    headers: { ...task.headers },
    evidence: reading.evidence,
    askedUrl: task.askedUrl,
    landedUrl: task.landedUrl,
    rendered: task.rendered,
    minWords: task.minWords,
  });
  return resultOf(task, {
    reading,
    judged,
    charset,
    source: html,
    head: headOf(reading.head, task),
    decodeMs: decodedAtMs - startedAtMs,
    readMs: performance.now() - decodedAtMs,
  });
}

/** The head as told: what the markup says, and what the X-Robots-Tag header adds to it. */
function headOf(head: HeadData, { headers }: ReadTask): HeadData & { readonly xRobotsTag?: string[] } {
  const xRobotsTag = headers['x-robots-tag'] === undefined ? [] : robotsDirectives(headers, undefined);
  return xRobotsTag.length === 0 ? head : { ...head, xRobotsTag };
}
