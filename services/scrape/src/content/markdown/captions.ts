import { collapseSpaces, type Element, Flag, findFirst, visibleLine, walk } from '../tree/page-tree.ts';

/** How far above a caption its picture may be found. */
const STEPS = 4;
const CAPTION_CHARS = 400;
/** Elements looked at for pictures in a page, all captions together. */
const SEARCH_CAP = 200_000;

/**
 * Captions that are a picture's only description, or say again what its description says: they are written as it, and
 * not once more among the paragraphs.
 */
export class Captions {
  readonly #byPicture = new Map<Element, string>();
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

  /** True where the element is written as the words of a picture. */
  has(element: Element): boolean {
    return this.#attached.has(element);
  }

  of(picture: Element): string | undefined {
    return this.#byPicture.get(picture);
  }

  #attach(caption: Element): void {
    if (this.#pictureIn(caption)) return;
    let around = caption.parent;
    for (let steps = 0; around && steps < STEPS; steps++, around = around.parent) {
      const picture = this.#pictureIn(around);
      if (!picture) continue;
      const text = visibleLine(caption, CAPTION_CHARS);
      const alt = collapseSpaces(picture.attributes['alt'] ?? '');
      if (alt !== '' && !alt.includes(text) && !(alt.length > 24 && text.startsWith(alt))) return;
      this.#byPicture.set(picture, alt.includes(text) ? alt : text);
      this.#attached.add(caption);
      return;
    }
  }
  /** The first picture below that has no caption yet. */
  #pictureIn(element: Element): Element | undefined {
    if (this.#left <= 0) return undefined;
    const isNext = (inner: Element): boolean => inner.tag === 'img' && !this.#byPicture.has(inner);
    const found = findFirst(element, (inner) => this.#left-- <= 0 || isNext(inner));
    return found && isNext(found) ? found : undefined;
  }
}
