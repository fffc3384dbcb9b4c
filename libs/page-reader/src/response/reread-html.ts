import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { CutOptions } from '../blocks/cut-page.ts';
import type { ContentOptions } from '../options/content-options.ts';
import { readPage } from '../page/read-page.ts';
import type { Compared } from './compared.ts';
import { comparisonHashes } from './comparison-hashes.ts';

/** What a capture would have found in stored html. */
export interface Reread {
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly compared: Compared;
  /** Encoded PageBlocks message. */
  readonly blocks: Uint8Array;
  readonly fieldsJson: string | undefined;
}

export interface RereadRequest {
  readonly html: string;
  readonly url: string;
  readonly content: ContentOptions;
  readonly cut: CutOptions;
  readonly contentType?: string;
}

/** Reads stored html as a capture of a compared run would. Pure. */
export function rereadHtml(request: RereadRequest): Reread {
  const reading = readPage({ ...request, outputs: new Set(['text']) });
  const { title, language, words, blocks, fields } = reading;
  const compared = comparisonHashes(reading);
  if (blocks === undefined || compared === undefined) throw new Error('the page was read without blocks');
  const fieldsJson = fields === undefined ? undefined : JSON.stringify(fields);
  return { title, language, words, compared, blocks: PageBlocks.encode(blocks).finish(), fieldsJson };
}
