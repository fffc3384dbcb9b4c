import { hash } from 'node:crypto';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageBodies } from '@tidemark/contracts/page/v1/page';
import { essenceOf } from '../documents/model/media-type.ts';
import type { PageReading } from '../page/read-page.ts';
import type { Classification } from '../verdict/classification.ts';
import { encodeBodies } from './bounded-bodies.ts';
import { comparisonHashes } from './comparison-hashes.ts';
import { type LinksAndHead, pageGraphOf } from './page-graph.ts';
import { isAcceptedLanguage } from './page-languages.ts';
import { toProductMessage } from './product-message.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

/** A reading of any origin, to be turned into a result. */
export interface ReadParts {
  readonly reading: PageReading;
  readonly classified: Classification;
  readonly charset: string;
  /** Source of the page; undefined if it has none that can be shown. */
  readonly source: string | undefined;
  /** The head that is stored: of the markup, or extended by headers or document properties. */
  readonly head: LinksAndHead['head'] & { readonly document?: object };
  readonly decodeMs: number;
  readonly readMs: number;
}

/** Builds the result of a reading. */
export function resultOf(
  task: ReadTask,
  { reading, classified, charset, source, head, decodeMs, readMs }: ReadParts,
): ReadResult {
  // The content of a refusal is not the page, so it is not compared.
  const compared = classified.verdict === 'blocked' ? undefined : comparisonHashes(reading);
  const requested = (format: string): boolean => task.formats.includes(format);
  const bodies: PageBodies = {
    markdown: requested('markdown') ? reading.markdown : undefined,
    text: requested('text') ? reading.text : undefined,
    cleanHtml: requested('cleanHtml') ? reading.cleanHtml : undefined,
    rawHtml: requested('rawHtml') ? source : undefined,
    linksJson: requested('links') ? JSON.stringify(reading.links ?? []) : undefined,
    headJson: JSON.stringify(head),
    fieldsJson: reading.fields === undefined ? undefined : JSON.stringify(reading.fields),
    blocks: compared && reading.blocks && Buffer.from(PageBlocks.encode(reading.blocks).finish()),
  };
  const encoded = encodeBodies(bodies);
  return {
    classification: checkLanguage(
      { ...classified, warnings: [...classified.warnings, ...reading.notes, ...encoded.warnings] },
      reading.language,
      task,
    ),
    title: reading.title,
    language: reading.language,
    words: reading.words,
    product: classified.verdict === 'blocked' ? undefined : toProductMessage(reading.product),
    charset,
    bodies: encoded.bytes,
    compared,
    graph:
      task.output === 'graph'
        ? { ...pageGraphOf({ links: reading.links ?? [], head }), ...blockKeysOf(reading, classified) }
        : undefined,
    textHash: hash('sha1', reading.text ?? ''),
    removed: reading.removed ?? [],
    decodeMs,
    readMs,
  };
}

/** A refusal is the same on every page of a site. */
const blockKeysOf = ({ blockKeys }: PageReading, { verdict }: Classification): { readonly blockKeys?: Uint8Array } =>
  blockKeys === undefined || verdict !== 'ok' ? {} : { blockKeys };

/** Skips a readable page that is in none of the requested languages. Failures are reported first. */
function checkLanguage(
  classification: Classification,
  language: string | undefined,
  { languages }: ReadTask,
): Classification {
  if (classification.verdict === 'blocked' || isAcceptedLanguage(language, languages)) return classification;
  const reason = `the page is in ${language}, which is none of ${languages.join(', ')}`;
  return { ...classification, verdict: 'skipped', errorCode: 'OK', reason, climb: false };
}

/** Builds the result of bytes that were not read: no content, no charge. */
export const unread = (
  classification: Pick<Classification, 'verdict' | 'errorCode' | 'warnings' | 'reason'>,
): ReadResult => ({
  classification: { ...classification, shape: 'empty', signals: [], climb: false },
  title: undefined,
  language: undefined,
  words: 0,
  product: undefined,
  charset: '',
  bodies: new Uint8Array(),
  compared: undefined,
  graph: undefined,
  textHash: '',
  removed: [],
  decodeMs: 0,
  readMs: 0,
});

/** Builds the result of bytes that are neither a page nor a document to be read. */
export function unsupported({ contentType }: ReadTask): ReadResult {
  const what = essenceOf(contentType) || 'binary data';
  const reason = `the response is ${what}, which is not read as a page`;
  return unread({ verdict: 'skipped', errorCode: 'OK', warnings: [`unsupported type: ${what}`], reason });
}
