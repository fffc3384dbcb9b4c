import { weigh } from './count-words.ts';
import { Hint, HintReader } from './name-hints.ts';
import { type Element, findFirst, isBlock, Mark, NO_ATTRIBUTES, type Page } from './page-tree.ts';

/** Never shown, whatever the style says. */
const UNSEEN_TAGS = new Set(
  'script style template head title meta link base svg iframe object embed applet canvas audio video map datalist noembed noframes select option'.split(
    ' ',
  ),
);
// A property's whole name: `--menu-display: none` hides nothing.
const HIDDEN_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

const VEILED = /(?:^|[;\s])visibility\s*:\s*hidden/i;

/** How a page is to be seen: with scripts, or as a browser without them sees it. */
export interface Sight {
  hints: HintReader;
  noscript: boolean;
  /** Styles are believed; a page that hides all of itself until its scripts have run is shown all the same. */
  styled: boolean;
}

/** A page with fewer visible words than this may keep its content in noscript, as Discourse does. */
const FEW_WORDS = 80;

/** Measures a page, and once more with its noscript shown where that is where the content is. */
export function measurePage(page: Page): void {
  const hints = new HintReader();
  measure(page.root, { hints, noscript: false, styled: true });
  const { words } = page.body;
  if (words >= FEW_WORDS) return;
  const noscript =
    findFirst(page.body, (element) => element.tag === 'noscript' && element.children.length > 3) !== undefined;
  const styled = findFirst(page.body, (element) => VEILED.test(element.attributes['style'] ?? '')) === undefined;
  if (!noscript && styled) return;
  measure(page.root, { hints, noscript, styled });
  if (page.body.words < words * 2 + FEW_WORDS) measure(page.root, { hints, noscript: false, styled: true });
}

/** Walks the tree once, bottom-up: visibility, hints, and the words, link words and stops below every element. */
function measure(start: Element, sight: Sight): void {
  start.marks = 0;
  start.words = 0;
  start.linkWords = 0;
  start.stops = 0;
  start.ownWords = 0;
  start.ownStops = 0;
  if (isUnseen(start, sight)) {
    start.marks = Mark.unseen;
    return;
  }
  start.hints = sight.hints.read(start.attributes);
  if ((start.hints & Hint.hidden) !== 0 && start.tag !== 'body') start.marks |= Mark.unseen;
  let words = 0;
  let linkWords = 0;
  let stops = 0;
  let blocky = false;
  for (const child of start.children) {
    if (typeof child === 'string') {
      const weight = weigh(child);
      start.ownWords += weight.words;
      start.ownStops += weight.stops;
      continue;
    }
    measure(child, sight);
    if ((child.marks & Mark.unseen) !== 0) continue;
    words += child.words;
    linkWords += child.linkWords;
    stops += child.stops;
    if (!blocky && ((child.marks & Mark.blocky) !== 0 || isBlock(child.tag))) blocky = true;
  }
  start.words = words + start.ownWords;
  start.linkWords = linkWords;
  start.stops = stops + start.ownStops;
  if (blocky) start.marks |= Mark.blocky;
  if (start.tag === 'a') start.linkWords = start.words;
}

function isUnseen(element: Element, sight: Sight): boolean {
  const { tag, attributes } = element;
  if (tag === 'noscript') return !sight.noscript;
  if (UNSEEN_TAGS.has(tag)) return !(tag === 'template' && attributes['shadowrootmode'] !== undefined);
  if (attributes === NO_ATTRIBUTES) return tag === 'dialog';
  if (tag === 'body' || tag === 'html') return false;
  const hidden = attributes['hidden'];
  // React streams content into hidden boxes named S:0, S:1 and so on, which its scripts then move into place.
  if (hidden !== undefined && hidden !== 'until-found' && !/^S:\d+$/.test(attributes['id'] ?? '')) return true;
  const style = attributes['style'];
  if (style && HIDDEN_STYLE.test(style)) return sight.styled || !VEILED.test(style);
  return tag === 'dialog' && attributes['open'] === undefined;
}
