/** Characters of visible text below which a page with scripts counts as an app shell that is still to be filled. */
const SHELL_CHARACTERS = 200;

/** What a look at the document tells. */
export interface Look {
  /** Scripts that can run are part of the document. */
  readonly isScripted: boolean;
  /** Hardly any text yet. */
  readonly isShell: boolean;
  /** The document did not change for the time asked. */
  readonly isStill: boolean;
  /** It changed while it was looked at. */
  readonly hasChanged: boolean;
  /** Milliseconds until the document sends the browser elsewhere; absent where it doesn't. */
  readonly refreshMs?: number;
}

export interface Reading {
  readonly url: string;
  /** Absent where the document is too large to be handed over. */
  readonly html?: string;
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
  const look = (isStill) => ({
    isScripted: [...document.scripts].some(runs),
    isShell: visible() < ${SHELL_CHARACTERS},
    isStill,
    hasChanged,
    refreshMs: refresh(),
  });`;

/** Looks at once where no script can run, otherwise when the document has been still for `quietMs`, or after `mostMs`. */
export const lookScript = (quietMs: number, mostMs: number): string => `(() => {${SHARED}
  const first = look(true);
  if (!first.isScripted) return first;
  return new Promise((resolve) => {
    let still;
    const end = (isStill) => {
      observer.disconnect();
      clearTimeout(still);
      clearTimeout(most);
      resolve(look(isStill));
    };
    const restart = () => {
      clearTimeout(still);
      still = setTimeout(end, ${quietMs}, true);
    };
    const observer = new MutationObserver(() => {
      hasChanged = true;
      restart();
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    const most = setTimeout(end, ${mostMs}, false);
    restart();
  });
})()`;

/** Reads the document as it stands. */
export const readScript = (charactersMax: number): string => `(() => {
  const doctype = document.doctype === null ? '' : new XMLSerializer().serializeToString(document.doctype);
  const html = doctype + (document.documentElement?.outerHTML ?? '');
  return html.length > ${charactersMax} ? { url: document.URL } : { url: document.URL, html };
})()`;
