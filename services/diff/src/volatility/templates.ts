import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';

const { imul } = Math;

/** Pages of one folder with similar element paths. */
export interface Template {
  readonly id: string;
  readonly folder: string;
  readonly sketch: readonly number[];
}

/** Templates per project; further pages share one template per folder. */
export const MAX_TEMPLATES = 200;
const MAX_ANCHORS = 2_000;
const SKETCH_SIZE = 64;
const MIN_SIMILARITY = 0.8;

/**
 * Assigns pages to templates: pages of one folder whose sets of element paths are similar (Jaccard 0.8 by MinHash).
 * Deterministic for given known templates and page order.
 */
export class TemplateRegistry {
  readonly #known: Template[];
  readonly #added: Template[] = [];

  constructor(known: readonly Template[]) {
    this.#known = known.slice(0, MAX_TEMPLATES);
  }

  /** Returns the template id for a page of `folder` with these element paths; creates a template if none is similar. */
  assign(folder: string, sketch: readonly number[]): string {
    let [best, bestSimilarity] = ['', MIN_SIMILARITY];
    for (const template of this.#known) {
      if (template.folder !== folder) continue;
      const score = similarity(template.sketch, sketch);
      if (score > bestSimilarity || (score === bestSimilarity && best === ''))
        [best, bestSimilarity] = [template.id, score];
    }
    return best === '' ? this.#add(folder, sketch) : best;
  }

  /** Templates created since construction. */
  get added(): readonly Template[] {
    return this.#added;
  }

  #add(folder: string, sketch: readonly number[]): string {
    if (this.#known.length >= MAX_TEMPLATES) return `${folder} *`;
    const ofFolder = this.#known.filter((template) => template.folder === folder).length;
    const template = { id: `${folder} ${ofFolder + 1}`, folder, sketch };
    this.#known.push(template);
    this.#added.push(template);
    return template.id;
  }
}

/** Returns a MinHash sketch of a page's element paths. */
export function sketchAnchors({ anchors }: Pick<PageBlocks, 'anchors'>): number[] {
  const sketch = new Uint32Array(SKETCH_SIZE).fill(0xffff_ffff);
  for (const anchor of new Set(anchors.slice(0, MAX_ANCHORS))) {
    let hash = 0x811c_9dc5;
    for (let at = 0; at < anchor.length; at += 1) hash = imul(hash ^ anchor.charCodeAt(at), 0x0100_0193);
    for (let order = 0; order < SKETCH_SIZE; order += 1) {
      let value = imul(hash ^ imul(order + 1, 0x9e37_79b1), 0x85eb_ca6b);
      value = imul(value ^ (value >>> 13), 0xc2b2_ae35);
      value = (value ^ (value >>> 16)) >>> 0;
      if (value < (sketch[order] ?? 0)) sketch[order] = value;
    }
  }
  return [...sketch];
}

function similarity(a: readonly number[], b: readonly number[]): number {
  let score = 0;
  for (let at = 0; at < SKETCH_SIZE; at += 1) if (a[at] === b[at]) score += 1;
  return score / SKETCH_SIZE;
}
