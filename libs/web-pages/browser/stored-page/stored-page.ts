// The script of the frame that shows a stored page to the console: reports the element that a person points at, or reaches by the arrow keys, with
// selectors for it. The console reads its messages in services/console/src/pages/picker/frame-message.ts.
import {
  childrenOf,
  find,
  isInside,
  nameOf,
  parentOf,
  scrollTo,
  setAttributeOf,
  textOf,
  unmark,
} from './page-access.ts';
import { countOf, selectorsOf } from './selectors-of.ts';
import { showPage } from './show-page.ts';

const MAX_TEXT = 200;
const AT = 'data-tidemark-at';
const MATCH = 'data-tidemark-match';

interface About {
  readonly name: string;
  readonly text: string;
  /** Elements of the page with this name. */
  readonly count: number;
}

type Message =
  | { readonly kind: 'ready'; readonly elements: number }
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'at' } & About)
  | ({ readonly kind: 'picked'; readonly selectors: readonly string[] } & About)
  /** Count -1: the selector is not valid. */
  | { readonly kind: 'shown'; readonly selector: string; readonly count: number };

/** The document has an opaque origin, so that no origin of the receiver can be named. */
const send = (message: Message): void => parent.postMessage({ from: 'tidemark-stored', ...message }, '*');

const aboutOf = (node: Element): About => ({
  name: nameOf(node),
  text: (textOf(node) ?? '').trim().replace(/\s+/g, ' ').slice(0, MAX_TEXT),
  count: countOf(nameOf(node)),
});

/** Marks the elements that match a selector of the console, and reports their number. */
function showMatches(selector: string, isScrolled: boolean): void {
  unmark(MATCH);
  let count = 0;
  try {
    const found = find(selector);
    count = found.length;
    for (const node of found) setAttributeOf(node, MATCH, '');
    const [first] = found;
    if (isScrolled && first !== undefined) scrollTo(first, 'center');
  } catch {
    count = -1;
  }
  send({ kind: 'shown', selector, count });
}

/** Lets a person choose an element of the page. */
function pick(body: HTMLElement): void {
  let at: Element = body;
  const moveTo = (node: Element): void => {
    if (node === at) return;
    unmark(AT);
    at = node;
    setAttributeOf(at, AT, '');
    send({ kind: 'at', ...aboutOf(at) });
  };
  const choose = (): void => send({ kind: 'picked', ...aboutOf(at), selectors: selectorsOf(at, body) });

  const sibling = (step: number): Element | undefined => {
    const above = parentOf(at);
    if (at === body || above === null) return undefined;
    const all = [...childrenOf(above)];
    return all[all.indexOf(at) + step];
  };
  const moves = new Map<string, () => Element | null | undefined>([
    ['ArrowUp', () => (at === body ? undefined : parentOf(at))],
    ['ArrowDown', () => childrenOf(at)[0]],
    ['ArrowLeft', () => sibling(-1)],
    ['ArrowRight', () => sibling(1)],
  ]);

  const capture = { capture: true };
  const stop = (event: Event): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener(
    'pointermove',
    ({ target }) => {
      if (isInside(body, target)) moveTo(target);
    },
    capture,
  );
  for (const type of ['auxclick', 'submit', 'dragstart', 'contextmenu']) addEventListener(type, stop, capture);
  addEventListener(
    'click',
    (event) => {
      stop(event);
      if (!isInside(body, event.target)) return;
      moveTo(event.target);
      choose();
    },
    capture,
  );
  addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Tab') return;
      stop(event);
      if (event.key === 'Enter' || event.key === ' ') return choose();
      const next = moves.get(event.key)?.() ?? undefined;
      if (next === undefined) return;
      moveTo(next);
      scrollTo(next, 'nearest');
    },
    capture,
  );
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null || data.kind !== 'show') return;
    showMatches(String(data.selector), data.scroll === true);
  });
}

const html: unknown = JSON.parse(document.getElementById('stored')?.textContent ?? 'null');
if (typeof html === 'string') {
  pick(showPage(html));
  send({ kind: 'ready', elements: find('body *').length });
} else send({ kind: 'empty' });
