/** Raised whenever the same page would be cut into other blocks: readings of two versions can't be compared as they are. */
export const BLOCKS_VERSION = 1;
