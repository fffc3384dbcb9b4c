import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';

const NONE = '0';

/** Returns the first 8 bytes of a blob's SHA-256 as a bigint, which makes the index six times smaller. Blobs with equal keys are kept until neither is referenced. */
export const blobKey = (sha256: string): string => {
  const key = BigInt.asIntN(64, BigInt(`0x${sha256.slice(0, 16)}`));
  return key === 0n ? '1' : key.toString();
};

const NAME = /^[0-9a-f]{64}$/;
const nameOf = (blob: BlobRef | undefined): string | undefined =>
  blob !== undefined && NAME.test(blob.sha256) ? blob.sha256 : undefined;

type Named = Pick<PageRow, 'content' | 'screenshot' | 'evidence'>;

/** Returns the SHA-256 of every blob that a page references. */
export const blobsOf = ({ content, screenshot, evidence }: Named): string[] =>
  [content, screenshot, evidence].flatMap((blob) => nameOf(blob) ?? []);

/** Returns the blob keys of a page's row, by column. */
export function keysOf({ content, screenshot, evidence }: Named) {
  const key = (blob: BlobRef | undefined): string => {
    const name = nameOf(blob);
    return name === undefined ? NONE : blobKey(name);
  };
  return { content: key(content), screenshot: key(screenshot), evidence: key(evidence) };
}
