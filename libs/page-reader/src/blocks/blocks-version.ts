/** Increment whenever the same page would be cut into different blocks: readings of two versions are not comparable. */
export const BLOCKS_VERSION = 4;
