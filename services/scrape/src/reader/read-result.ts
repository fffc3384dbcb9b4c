import { hash } from 'node:crypto';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { PageReading } from '../content/read-page.ts';
import { essenceOf } from '../domain/media-type.ts';
import { type LinksAndHead, pageGraphOf } from '../domain/page-graph.ts';
import { isAcceptedLanguage } from '../domain/page-languages.ts';
import type { Classification } from '../domain/verdict/classification.ts';
import { compareBy } from './comparison-hashes.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

/** What a reading gives, however it came about. */
export interface Read {
  readonly reading: PageReading;
  readonly classified: Classification;
  readonly charset: string;
  /** The page's source; undefined where it has none that could be shown. */
  readonly source: string | undefined;
  /** Where what was to be told of the answer's head is more than its markup says. */
  readonly head: LinksAndHead['head'] & { readonly document?: object };
  readonly decodeMs: number;
  readonly readMs: number;
}

/** The result of a reading. */
export function resultOf(
  task: ReadTask,
  { reading, classified, charset, source, head, decodeMs, readMs }: Read,
): ReadResult {
  // What a refusal shows is not the page, and is compared with nothing.
  const compared = classified.verdict === 'blocked' ? undefined : compareBy(reading);
  const asked = (format: string): boolean => task.formats.includes(format);
  const bodies: PageBodies = {
    markdown: asked('markdown') ? reading.markdown : undefined,
    text: asked('text') ? reading.text : undefined,
    cleanHtml: asked('cleanHtml') ? reading.cleanHtml : undefined,
    rawHtml: asked('rawHtml') ? source : undefined,
    linksJson: asked('links') ? JSON.stringify(reading.links ?? []) : undefined,
    headJson: JSON.stringify(head),
    fieldsJson: reading.fields === undefined ? undefined : JSON.stringify(reading.fields),
    blocks: compared && reading.blocks && Buffer.from(PageBlocks.encode(reading.blocks).finish()),
  };
  return {
    classification: wanted(
      { ...classified, warnings: [...classified.warnings, ...reading.notes] },
      reading.language,
      task,
    ),
    title: reading.title,
    language: reading.language,
    words: reading.words,
    charset,
    bodies: PageBodies.encode(bodies).finish(),
    compared,
    graph: task.output === 'graph' ? pageGraphOf({ links: reading.links ?? [], head }) : undefined,
    textHash: hash('sha1', reading.text ?? ''),
    removed: reading.removed ?? [],
    decodeMs,
    readMs,
  };
}

/** A page that reads well and is in none of the languages asked for is skipped; what went wrong is told first. */
function wanted(classification: Classification, language: string | undefined, { languages }: ReadTask): Classification {
  if (classification.verdict === 'blocked' || isAcceptedLanguage(language, languages)) return classification;
  const reason = `the page is in ${language}, which is none of ${languages.join(', ')}`;
  return { ...classification, verdict: 'skipped', errorCode: 'OK', reason, climb: false };
}

/** Bytes that were not read: a row that says so, nothing to show, nothing to pay. */
export const unread = (
  classification: Pick<Classification, 'verdict' | 'errorCode' | 'warnings' | 'reason'>,
): ReadResult => ({
  classification: { ...classification, shape: 'empty', signals: [], climb: false },
  title: undefined,
  language: undefined,
  words: 0,
  charset: '',
  bodies: new Uint8Array(),
  compared: undefined,
  graph: undefined,
  textHash: '',
  removed: [],
  decodeMs: 0,
  readMs: 0,
});

/** Bytes that are no page, and no document that is to be read. */
export function noPage({ contentType }: ReadTask): ReadResult {
  const what = essenceOf(contentType) || 'binary data';
  const reason = `the answer is ${what}, which is not read as a page`;
  return unread({ verdict: 'skipped', errorCode: 'OK', warnings: [`unsupported type: ${what}`], reason });
}
