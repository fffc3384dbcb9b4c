import { PageBlocks, PageOutline } from '@tidemark/contracts/page/v1/blocks';

/** A page's blocks as they are stored. Whoever looks into them decodes them, once; a comparison, on a thread of its own, takes the bytes. */
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

  /** How many blocks there are: no block is decoded for it. */
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

/** The bytes of a page's blocks. */
export const bytesOf = (page: PageBlocks): Uint8Array =>
  page instanceof StoredBlocks ? page.bytes : PageBlocks.encode(page).finish();

/** How many blocks a page has. */
export const countOf = (page: PageBlocks): number => (page instanceof StoredBlocks ? page.count : page.blocks.length);
