import { collapseSpaces, type Element, Flag, findFirst, visibleLine, walk } from '../tree/page-tree.ts';
import { ALT_CHARS, ANCESTOR_CAP, CAPTION_CHARS, SEARCH_CAP } from './thresholds.ts';

/**
 * Finds captions that are an image's only description or repeat it. They are written as the image's description instead
 * of as a paragraph.
 */
export class Captions {
  readonly #byImage = new Map<Element, string>();
  readonly #attached = new Set<Element>();
  #left = SEARCH_CAP;

  constructor(roots: readonly Element[]) {
    for (const root of roots) {
      walk(root, (element) => {
        if ((element.flags & (Flag.notRendered | Flag.boilerplate | Flag.excluded)) !== 0) return false;
        if ((element.flags & Flag.caption) === 0) return undefined;
        this.#attach(element);
        return false;
      });
    }
  }

  /** True if the element is written as the description of an image. */
  has(element: Element): boolean {
    return this.#attached.has(element);
  }

  of(image: Element): string | undefined {
    return this.#byImage.get(image);
  }

  #attach(caption: Element): void {
    if (this.#imageIn(caption)) return;
    let around = caption.parent;
    for (let steps = 0; around && steps < ANCESTOR_CAP; steps++, around = around.parent) {
      const image = this.#imageIn(around);
      if (!image) continue;
      const text = visibleLine(caption, CAPTION_CHARS);
      const alt = collapseSpaces(image.attributes['alt'] ?? '');
      if (alt !== '' && !alt.includes(text) && !(alt.length > ALT_CHARS && text.startsWith(alt))) return;
      this.#byImage.set(image, alt.includes(text) ? alt : text);
      this.#attached.add(caption);
      return;
    }
  }
  /** Returns the first image below that has no caption yet. */
  #imageIn(element: Element): Element | undefined {
    if (this.#left <= 0) return undefined;
    const isNext = (inner: Element): boolean => inner.tag === 'img' && !this.#byImage.has(inner);
    const found = findFirst(element, (inner) => this.#left-- <= 0 || isNext(inner));
    return found && isNext(found) ? found : undefined;
  }
}
