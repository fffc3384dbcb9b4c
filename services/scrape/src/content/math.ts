import { collapse, type Element, findFirst, rawText } from './tree.ts';

/** A formula as TeX between dollar signs, or undefined where the element is none. */
export function mathOf(element: Element): string | undefined {
  const { tag, attributes } = element;
  if (tag === 'math')
    return formula(texOf(element) ?? collapse(rawText(element, 2_000)), attributes['display'] === 'block');
  if (tag === 'script')
    return /^math\/(?:tex|asciimath)/.test(attributes['type'] ?? '')
      ? formula(rawText(element), (attributes['type'] ?? '').includes('mode=display'))
      : undefined;
  if (tag === 'img') return imageFormula(element);
  const written = attributes['data-math'] ?? attributes['data-latex'];
  if (written) return formula(written, tag === 'div' || attributes['display'] === 'block');
  const className = attributes['class'];
  if (!className && !tag.startsWith('mjx-')) return undefined;
  if (
    tag === 'mjx-container' ||
    /(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax)(?=\s|$)/.test(className ?? '')
  )
    return rendered(element);
  return undefined;
}

/** Where a renderer wrote its own boxes and, beside them, the MathML that says what they mean. */
function rendered(element: Element): string | undefined {
  const math = findFirst(element, (inner) => inner.tag === 'math');
  if (!math) return undefined;
  const display =
    math.attributes['display'] === 'block' ||
    /katex-display|mwe-math-element-block/.test(element.attributes['class'] ?? '') ||
    element.attributes['display'] === 'true';
  return formula(texOf(math) ?? collapse(rawText(math, 2_000)), display);
}

/** https://www.w3.org/TR/mathml-core/#semantics-and-presentation */
function texOf(math: Element): string | undefined {
  const note = findFirst(
    math,
    (inner) => inner.tag === 'annotation' && /tex/i.test(inner.attributes['encoding'] ?? ''),
  );
  return note ? rawText(note) : math.attributes['alttext'];
}

function imageFormula(element: Element): string | undefined {
  const { alt, class: className, src } = element.attributes;
  if (!alt) return undefined;
  const isFormula =
    /(?:^|\s)(?:latex|tex|mwe-math-fallback-image-\w+)(?=\s|$)/.test(className ?? '') ||
    /latex\.codecogs\.com|\/latex\.php\?|[?&]latex=/.test(src ?? '');
  return isFormula ? formula(alt, false) : undefined;
}

function formula(tex: string, display: boolean): string | undefined {
  const bare = tex
    .trim()
    .replace(/^\{\\(?:display|text)style\s+([\s\S]*)\}$/, '$1')
    .replace(/^<!\[CDATA\[|\]\]>$|%\s*$/g, '')
    .trim();
  if (bare === '') return undefined;
  return display ? `$$\n${bare}\n$$` : `$${bare.replace(/\s*\n\s*/g, ' ')}$`;
}

/** Elements that a formula already stands for: previews and fallbacks of the same formula. */
export const isMathEcho = (element: Element): boolean =>
  /(?:^|\s)(?:MathJax(?:_Display|_Preview|_SVG|_CHTML)?|katex-html|mwe-math-fallback-image-\w+)(?=\s|$)/.test(
    element.attributes['class'] ?? '',
  ) || element.tag === 'mjx-assistive-mml';
