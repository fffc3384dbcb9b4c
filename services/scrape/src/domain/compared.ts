import { createHash } from 'node:crypto';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { textOrEmpty } from '@tidemark/contracts/text-or-empty';
import type { Compared } from '@tidemark/page-reader';
import type { CaptureOptions } from './capture-options.ts';

/** Returns the columns of the page row that store them. */
export const comparedColumns = ({ contentHash, textHash, comparedHash, blocksVersion, matched }: Compared) => ({
  contentHash: Buffer.from(contentHash),
  textHash: Buffer.from(textHash),
  comparedHash: Buffer.from(comparedHash),
  blocksVersion,
  matched,
});

/** Returns true if an earlier capture has what a comparison needs, cut by the current rules. */
export const holdsComparison = (
  { contentHash, comparedHash, blocksVersion }: Pick<PageRow, 'contentHash' | 'comparedHash' | 'blocksVersion'>,
  { cutBlocks = false }: Pick<CaptureOptions, 'cutBlocks'>,
  versionNow: number,
): boolean => !cutBlocks || (contentHash !== undefined && comparedHash !== undefined && blocksVersion === versionNow);

/** Returns the content variant key: a hash of the options that decide which page a site shows. Readings with different keys are not comparable. */
export function contentVariantKeyOf(options: CaptureOptions): string {
  const { device, country, userAgent, loginId, headers, cookies, actions, waitFor, renderJs } = options;
  const parts = [
    [device, textOrEmpty(country), textOrEmpty(userAgent), textOrEmpty(loginId)],
    [inOrder(headers), inOrder(cookies)],
    [actions, waitFor ?? null],
    // With `auto` the engine is chosen per page, so it is not part of the key.
    renderJs === 'auto' ? '' : renderJs,
  ];
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64url');
}

const inOrder = (record: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
