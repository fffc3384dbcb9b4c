import type { BlobRef } from '@tidemark/contracts/page/v1/page';

/** Bytes of bodies beyond which nothing is asked of a page: what a capture keeps is a fraction of it. */
const BODIES_MAX = 128 * 1024 * 1024;

/** Whether a reference names bodies that can be looked at: a SHA-256, and a size that is one. */
export const isValidBodyRef = ({ sha256, bytes }: BlobRef): boolean =>
  /^[0-9a-f]{64}$/.test(sha256) && bytes >= 0 && bytes <= BODIES_MAX;
