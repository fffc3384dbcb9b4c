import { longestRun } from './markdown-escape.ts';
import { type Element, isBlock, rawText, walk } from './tree.ts';

/** Columns and spans that hold line numbers or copy buttons, by the names highlighters give them. */
const NOT_CODE =
  /(?:^|[\s_-])(?:line-?nos?|linenos?|lineno(?:div)?|line-?numbers?(?:-rows)?|gutter|lnt?|hljs-ln-numbers|rouge-gutter|blob-num|copy(?:-button|btn)?|clipboard-copy|toolbar)(?=$|\s)/i;
const NAMED_LANGUAGE = /(?:^|\s)(?:language|lang)-([a-z0-9+#.-]+)/i;
const LANGUAGE =
  /(?:^|\s)(?:highlight-(?:source|text)-|(?:highlight|brush)(?:-|:\s*)|(?:code|source|sourceCode|prism|hljs)(?:-|\s+))([a-z0-9+#.-]+)/i;
const NOT_A_LANGUAGE =
  /^(?:block|wrapper|container|highlight|notranslate|default|plain|plaintext|none|text|txt|no-highlight|nohighlight|pre|code|line|lines|numbers|toolbar|snippet|source|body|js-code-highlight|highlighted|hljs)$/i;
const KNOWN = new Set(
  'bash sh shell zsh console powershell c cpp c++ csharp cs java kotlin scala go rust swift python py ruby rb php perl lua r julia javascript js jsx typescript ts tsx json json5 yaml yml toml ini xml html css scss less sql graphql haskell hs ocaml elixir erlang clojure lisp scheme diff dockerfile makefile markdown md nginx solidity vue svelte dart groovy objectivec tex latex vim lean'.split(
    ' ',
  ),
);

/** The fenced block of a preformatted element, without its line numbers. https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
export function fencedCode(pre: Element): string {
  const code = codeText(pre)
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/^\n+/, '')
    .trimEnd();
  if (code === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1));
  return `${fence}${languageOf(pre)}\n${code}\n${fence}`;
}

/** Code as written: breaks and block children are lines, gutters are left out. */
export function codeText(element: Element): string {
  let text = '';
  for (const child of element.children) {
    if (typeof child === 'string') text += child;
    else if (child.tag === 'br') text += '\n';
    else if (isCode(child)) {
      const inner = codeText(child);
      const ownLine =
        isBlock(child.tag) &&
        child.tag !== 'table' &&
        child.tag !== 'tbody' &&
        child.tag !== 'td' &&
        child.tag !== 'pre';
      text += ownLine && text !== '' && !text.endsWith('\n') ? `\n${inner}` : inner;
      if (ownLine && !inner.endsWith('\n')) text += '\n';
    }
  }
  return text;
}

function isCode(element: Element): boolean {
  const { tag, attributes } = element;
  if (tag === 'button' || tag === 'style' || tag === 'script' || tag === 'svg' || tag === 'textarea') return false;
  if (attributes['data-line-number'] !== undefined && rawText(element, 10).trim() === '') return false;
  const className = attributes['class'];
  return !(className && NOT_CODE.test(className));
}

/** The language a block names: on itself, on its code element, or on the wrappers highlighters put around it. */
function languageOf(pre: Element): string {
  const own = languageIn(pre);
  if (own) return own;
  let inner = '';
  walk(pre, (element) => {
    if (inner === '' && element.tag === 'code') inner = languageIn(element);
    return undefined;
  });
  if (inner) return inner;
  let outer = pre.parent;
  for (let steps = 0; outer && steps < 6; steps++, outer = outer.parent) {
    const language = languageIn(outer);
    if (language) return language;
    if (outer.tag === 'body' || outer.tag === 'article' || outer.tag === 'main') break;
  }
  return '';
}

function languageIn(element: Element): string {
  const { attributes } = element;
  const named = attributes['data-lang'] ?? attributes['data-language'] ?? attributes['data-code-lang'];
  if (named && /^[\w+#.-]{1,30}$/.test(named) && !NOT_A_LANGUAGE.test(named)) return named.toLowerCase();
  const className = attributes['class'];
  if (!className) return '';
  const found = (NAMED_LANGUAGE.exec(className) ?? LANGUAGE.exec(className))?.[1]?.toLowerCase().replace(/[;,.]+$/, '');
  if (found && !NOT_A_LANGUAGE.test(found)) return found;
  if (element.tag !== 'pre' && element.tag !== 'code' && !/(?:^|\s)highlight(?:\s|$)/.test(className)) return '';
  return (
    className
      .toLowerCase()
      .split(/\s+/)
      .find((name) => KNOWN.has(name)) ?? ''
  );
}
