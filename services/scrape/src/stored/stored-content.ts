import type { BlobRef } from '@tidemark/contracts/page/v1/page';

/** Maximum size of the bodies of a page that is queried, bytes: a capture stores a fraction of it. */
const BODIES_MAX = 128 * 1024 * 1024;

/** Returns true for a valid reference to bodies: a SHA-256 and a size within the limit. */
export const isValidBodyRef = ({ sha256, bytes }: BlobRef): boolean =>
  /^[0-9a-f]{64}$/.test(sha256) && bytes >= 0 && bytes <= BODIES_MAX;
