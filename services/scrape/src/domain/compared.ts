import { createHash } from 'node:crypto';
import type { MatchedSelectors, PageRow } from '@tidemark/contracts/page/v1/page';
import type { CaptureOptions } from './capture-options.ts';

/** What a row says of a page that was cut into blocks, so that two readings can be compared without opening them. */
export interface Compared {
  /** Over the blocks of its main content. */
  readonly contentHash: Uint8Array;
  /** Over every block, the head and the extracted fields. */
  readonly comparedHash: Uint8Array;
  readonly blocksVersion: number;
  readonly matched: MatchedSelectors;
}

/** The columns of a row that hold it. */
export const comparedColumns = ({ contentHash, comparedHash, blocksVersion, matched }: Compared) => ({
  contentHash: Buffer.from(contentHash),
  comparedHash: Buffer.from(comparedHash),
  blocksVersion,
  matched,
});

/** Whether an earlier reading holds what this one is to be compared by, cut by the rules there are now. */
export const holdsComparison = (
  { contentHash, comparedHash, blocksVersion }: Pick<PageRow, 'contentHash' | 'comparedHash' | 'blocksVersion'>,
  { cutBlocks = false }: Pick<CaptureOptions, 'cutBlocks'>,
  versionNow: number,
): boolean => !cutBlocks || (contentHash !== undefined && comparedHash !== undefined && blocksVersion === versionNow);

/** Returns the content variant key: a hash of the options that decide which page a site shows. Readings with different keys are not comparable. */
export function contentVariantKeyOf(options: CaptureOptions): string {
  const { device, country, userAgent, loginId, headers, cookies, actions, waitFor, renderJs } = options;
  const facts = [
    [device, country, userAgent, loginId],
    [inOrder(headers), inOrder(cookies)],
    [actions, waitFor ?? null],
    // With `auto` the engine is chosen per page, so it is not part of the key.
    renderJs === 'auto' ? '' : renderJs,
  ];
  return createHash('sha1').update(JSON.stringify(facts)).digest('base64url');
}

const inOrder = (record: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
