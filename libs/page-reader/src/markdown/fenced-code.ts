import { codeText } from '../output/code-text.ts';
import { type Element, walk } from '../tree/page-tree.ts';
import { longestRun } from './escape-markdown.ts';
import { LANGUAGE_LEVELS } from './thresholds.ts';

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

/**
 * Writes the fenced block of a preformatted element, without line numbers.
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
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

/** Returns the language named on the block, on its code element, or on a wrapper added by a highlighter. */
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
  for (let steps = 0; outer && steps < LANGUAGE_LEVELS; steps++, outer = outer.parent) {
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
