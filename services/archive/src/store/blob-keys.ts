import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';

const NONE = '0';

/** First 8 bytes of a blob's name, as PostgreSQL's bigint: a sixth of an index's place. What shares them is kept for longer. */
export const blobKey = (sha256: string): string => {
  const key = BigInt.asIntN(64, BigInt(`0x${sha256.slice(0, 16)}`));
  return key === 0n ? '1' : key.toString();
};

const NAME = /^[0-9a-f]{64}$/;
const nameOf = (blob: BlobRef | undefined): string | undefined =>
  blob !== undefined && NAME.test(blob.sha256) ? blob.sha256 : undefined;

type Named = Pick<PageRow, 'content' | 'screenshot' | 'evidence'>;

/** The names of everything that is kept for a page. */
export const blobsOf = ({ content, screenshot, evidence }: Named): string[] =>
  [content, screenshot, evidence].flatMap((blob) => nameOf(blob) ?? []);

/** What a page's row says of the blobs it names, by column. */
export function keysOf({ content, screenshot, evidence }: Named) {
  const key = (blob: BlobRef | undefined): string => {
    const name = nameOf(blob);
    return name === undefined ? NONE : blobKey(name);
  };
  return { content: key(content), screenshot: key(screenshot), evidence: key(evidence) };
}
