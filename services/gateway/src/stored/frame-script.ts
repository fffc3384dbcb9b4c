/** Marks of the chosen and of the matched elements. They win over the styles of the page. */
export const FRAME_CSS = `
[data-tidemark-match] { outline: 2px dashed #8f5c08 !important; outline-offset: -2px !important; }
[data-tidemark-at] { outline: 3px solid #0f766e !important; outline-offset: -3px !important; cursor: crosshair !important; }
body { cursor: crosshair; }
body:focus { outline: none; }
`;

/**
 * Shows a stored page and reports the element that a person points at or reaches by the arrow keys, with selectors for it. Names in a page can
 * replace properties of its document (DOM clobbering), so that all access goes through functions that are bound before the page is shown.
 */
export const FRAME_SCRIPT = `
'use strict';
(() => {
  const MAX_DEPTH = 200;
  const MAX_TEXT = 200;
  const bound = (proto, name) => proto[name].bind(document);
  const getter = (proto, name) => { const { get } = Object.getOwnPropertyDescriptor(proto, name); return (node) => get.call(node); };
  const find = bound(Document.prototype, 'querySelectorAll');
  const adopt = bound(Document.prototype, 'adoptNode');
  const parentOf = getter(Node.prototype, 'parentElement');
  const childrenOf = getter(Element.prototype, 'children');
  const nameOf = getter(Element.prototype, 'localName');
  const classesOf = getter(Element.prototype, 'classList');
  const textOf = getter(Node.prototype, 'textContent');
  const attributeOf = (node, name) => Element.prototype.getAttribute.call(node, name);
  const mark = (node, name) => Element.prototype.setAttribute.call(node, name, '');
  const unmark = (name) => { for (const node of find('[' + name + ']')) Element.prototype.removeAttribute.call(node, name); };
  const send = (message) => parent.postMessage({ from: 'tidemark-stored', ...message }, '*');

  const html = JSON.parse(document.getElementById('stored').textContent);
  if (html === null) return send({ kind: 'empty' });
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const ACTIVE = 'script, meta, base, link, iframe, frame, frameset, object, embed, portal, fencedframe, audio, video';
  for (const node of parsed.querySelectorAll(ACTIVE)) node.remove();
  for (const node of parsed.querySelectorAll('*')) {
    for (const name of Element.prototype.getAttributeNames.call(node))
      if (/^(on.*|srcdoc|ping|autofocus|popover.*|action|formaction|accesskey)$/i.test(name)) Element.prototype.removeAttribute.call(node, name);
    if (/^(a|area|button|input|select|textarea|summary|details)$/.test(nameOf(node)) || attributeOf(node, 'tabindex') !== null)
      Element.prototype.setAttribute.call(node, 'tabindex', '-1');
  }
  for (const style of parsed.head === null ? [] : [...parsed.head.querySelectorAll('style')]) document.head.prepend(adopt(style));
  const body = parsed.body instanceof HTMLBodyElement ? parsed.body : parsed.createElement('body');
  for (const name of ['lang', 'dir', 'class', 'id']) {
    const value = attributeOf(parsed.documentElement, name);
    if (value !== null) Element.prototype.setAttribute.call(document.documentElement, name, value);
  }
  document.body.replaceWith(adopt(body));
  Element.prototype.setAttribute.call(body, 'tabindex', '0');
  Element.prototype.setAttribute.call(body, 'role', 'application');
  Element.prototype.setAttribute.call(body, 'aria-label', 'Stored page. The arrow keys move between its elements, Enter chooses one.');

  const countOf = (selector) => { try { return find(selector).length; } catch { return 0; } };
  const idOf = (node) => { const id = attributeOf(node, 'id'); return id === null || !/^[A-Za-z][\\w-]*$/.test(id) ? undefined : '#' + CSS.escape(id); };
  const classNames = (node) => [...classesOf(node)].filter((name) => name.length <= 60).slice(0, 4).map((name) => '.' + CSS.escape(name));

  /** Returns the position of an element among its siblings of the same name. */
  function stepOf(node) {
    const name = CSS.escape(nameOf(node));
    const siblings = [...childrenOf(parentOf(node))].filter((one) => nameOf(one) === nameOf(node));
    return siblings.length === 1 ? name : name + ':nth-of-type(' + (siblings.indexOf(node) + 1) + ')';
  }

  /** Returns a path from the nearest ancestor with an id, or from the body. */
  function pathOf(node) {
    const steps = [];
    for (let at = node; at !== null && at !== body && steps.length < MAX_DEPTH; at = parentOf(at)) {
      const id = idOf(at);
      if (id !== undefined && countOf(id) === 1) return [id, ...steps].join(' > ');
      steps.unshift(stepOf(at));
    }
    return ['body', ...steps].join(' > ');
  }

  /** Returns selectors of an element: for it alone first, then for those like it. */
  function selectorsOf(node) {
    if (node === body) return ['body'];
    const name = CSS.escape(nameOf(node));
    const classes = classNames(node);
    const above = parentOf(node);
    const around = above === null || above === body ? [] : [idOf(above), ...classNames(above)].filter((one) => one !== undefined);
    const all = [idOf(node), ...classes, classes.length > 1 ? classes.join('') : undefined, ...around.map((one) => one + ' > ' + name), name, pathOf(node)];
    const unique = [...new Set(all.filter((one) => one !== undefined))].map((selector) => ({ selector, count: countOf(selector) }));
    const found = unique.filter(({ count }) => count > 0);
    const alone = found.filter(({ count }) => count === 1).sort((one, other) => one.selector.length - other.selector.length);
    const like = found.filter(({ count }) => count > 1).sort((one, other) => one.count - other.count);
    return [...alone.slice(0, 3), ...like.slice(0, 5)].map(({ selector }) => selector);
  }

  let at = body;
  const about = () => ({ name: nameOf(at), text: textOf(at).trim().replace(/\\s+/g, ' ').slice(0, MAX_TEXT), count: countOf(nameOf(at)) });
  function moveTo(node) {
    if (!(node instanceof Element) || node === at) return;
    unmark('data-tidemark-at');
    at = node;
    mark(at, 'data-tidemark-at');
    send({ kind: 'at', ...about() });
  }
  const pick = () => send({ kind: 'picked', ...about(), selectors: selectorsOf(at) });

  const isInside = (node) => node instanceof Element && (node === body || Node.prototype.contains.call(body, node));
  addEventListener('pointermove', ({ target }) => { if (isInside(target)) moveTo(target); }, { capture: true });
  for (const type of ['click', 'auxclick', 'submit', 'dragstart', 'contextmenu'])
    addEventListener(type, (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (type === 'click' && isInside(event.target)) { moveTo(event.target); pick(); }
    }, { capture: true });

  const sibling = (step) => { const above = parentOf(at); if (at === body || above === null) return undefined; const all = [...childrenOf(above)]; return all[all.indexOf(at) + step]; };
  const MOVES = {
    ArrowUp: () => (at === body ? undefined : parentOf(at)),
    ArrowDown: () => [...childrenOf(at)][0],
    ArrowLeft: () => sibling(-1),
    ArrowRight: () => sibling(1),
  };
  addEventListener('keydown', (event) => {
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === 'Enter' || event.key === ' ') return pick();
    const next = Object.hasOwn(MOVES, event.key) ? MOVES[event.key]() : undefined;
    if (next === undefined || next === null) return;
    moveTo(next);
    Element.prototype.scrollIntoView.call(next, { block: 'nearest' });
  }, { capture: true });

  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null || data.kind !== 'show') return;
    unmark('data-tidemark-match');
    let count = 0;
    try {
      const found = find(String(data.selector));
      count = found.length;
      for (const node of found) mark(node, 'data-tidemark-match');
      if (data.scroll === true && found.length > 0) Element.prototype.scrollIntoView.call(found[0], { block: 'center' });
    } catch {
      count = -1;
    }
    send({ kind: 'shown', selector: String(data.selector), count });
  });
  send({ kind: 'ready', elements: find('body *').length });
})();
`;
