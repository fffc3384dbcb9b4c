/** Characters of visible text below which a page with scripts counts as an app shell without content. */
const SHELL_CHARACTERS = 200;

/** Observed state of a document. */
export interface PageState {
  /** Whether the document has executable scripts. */
  readonly isScripted: boolean;
  /** Whether it has almost no text. */
  readonly isShell: boolean;
  /** Whether the document was unchanged for the quiet time. */
  readonly isStable: boolean;
  /** Whether it changed during the observation. */
  readonly hasChanged: boolean;
  /** Milliseconds until its meta refresh; undefined without one. */
  readonly refreshMs?: number;
}

const SHARED = `
  const visible = () => {
    if (document.body === null) return 0;
    const skip = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE']);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let characters = 0;
    while (characters < ${SHELL_CHARACTERS} && walker.nextNode()) {
      const node = walker.currentNode;
      if (!skip.has(node.parentNode.nodeName)) characters += node.data.trim().length;
    }
    return characters;
  };
  const runs = (script) => script.type === '' || script.type === 'module' || /javascript|ecmascript/i.test(script.type);
  const refresh = () => {
    const meta = document.querySelector('meta[http-equiv="refresh" i][content]');
    const match = meta === null ? null : /^\\s*(\\d+(?:\\.\\d*)?)\\s*[;,]\\s*\\S/.exec(meta.content);
    return match === null ? undefined : Number(match[1]) * 1000;
  };
  let hasChanged = false;
  const observe = (isStable) => ({
    isScripted: [...document.scripts].some(runs),
    isShell: visible() < ${SHELL_CHARACTERS},
    isStable,
    hasChanged,
    refreshMs: refresh(),
  });`;

/** Observes the document until it is unchanged for `quietMs`, for at most `maxMs`; returns immediately if it has no scripts. */
export const observeScript = (quietMs: number, maxMs: number): string => `(() => {${SHARED}
  const first = observe(true);
  if (!first.isScripted) return first;
  return new Promise((resolve) => {
    let quietTimer;
    const end = (isStable) => {
      observer.disconnect();
      clearTimeout(quietTimer);
      clearTimeout(maxTimer);
      resolve(observe(isStable));
    };
    const restart = () => {
      clearTimeout(quietTimer);
      quietTimer = setTimeout(end, ${quietMs}, true);
    };
    const observer = new MutationObserver(() => {
      hasChanged = true;
      restart();
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    const maxTimer = setTimeout(end, ${maxMs}, false);
    restart();
  });
})()`;

/** Reads the document; without `html` if it is longer than `maxCharacters`. */
export const readScript = (maxCharacters: number): string => `(() => {
  const doctype = document.doctype === null ? '' : new XMLSerializer().serializeToString(document.doctype);
  const html = doctype + (document.documentElement?.outerHTML ?? '');
  return html.length > ${maxCharacters} ? { url: document.URL } : { url: document.URL, html };
})()`;
