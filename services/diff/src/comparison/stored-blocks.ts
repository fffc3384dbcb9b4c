import { PageBlocks, PageOutline } from '@tidemark/contracts/page/v1/blocks';

/** A page's blocks in encoded form. Decodes them once on first access; comparing threads take the bytes. */
export class StoredBlocks implements PageBlocks {
  readonly bytes: Uint8Array;
  #decoded: PageBlocks | undefined;
  #outline: PageOutline | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get version(): number {
    return this.#decodedAll.version;
  }

  get blocks(): PageBlocks['blocks'] {
    return this.#decodedAll.blocks;
  }

  get sections(): PageBlocks['sections'] {
    return this.#decodedAll.sections;
  }

  get anchors(): PageBlocks['anchors'] {
    return this.#outlined.anchors;
  }

  get head(): PageBlocks['head'] {
    return this.#decodedAll.head;
  }

  /** Number of blocks, without decoding them. */
  get count(): number {
    return this.#outlined.blocks.length;
  }

  get #decodedAll(): PageBlocks {
    this.#decoded ??= PageBlocks.decode(this.bytes);
    return this.#decoded;
  }

  get #outlined(): Pick<PageOutline, 'anchors'> & { readonly blocks: readonly unknown[] } {
    if (this.#decoded !== undefined) return this.#decoded;
    this.#outline ??= PageOutline.decode(this.bytes);
    return this.#outline;
  }
}

/** Returns the encoded blocks of a page. */
export const bytesOf = (page: PageBlocks): Uint8Array =>
  page instanceof StoredBlocks ? page.bytes : PageBlocks.encode(page).finish();

/** Returns the number of blocks of a page. */
export const countOf = (page: PageBlocks): number => (page instanceof StoredBlocks ? page.count : page.blocks.length);
