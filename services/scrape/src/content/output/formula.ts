import { Hint } from '../tree/name-hints.ts';
import { type Element, findFirst, rawText } from '../tree/page-tree.ts';
import { texOfBoxes } from './mathml-to-tex.ts';

/** A formula as TeX between dollar signs, or undefined where the element is none. */
export function mathOf(element: Element): string | undefined {
  const { tag, attributes } = element;
  if (tag === 'math') return formula(texOf(element) ?? texOfBoxes(element), attributes['display'] === 'block');
  if (tag === 'script')
    return /^math\/(?:tex|asciimath)/.test(attributes['type'] ?? '')
      ? formula(rawText(element), (attributes['type'] ?? '').includes('mode=display'))
      : undefined;
  if (tag === 'img') return imageFormula(element);
  const written = attributes['data-math'] ?? attributes['data-latex'];
  if (written) return formula(written, tag === 'div' || attributes['display'] === 'block');
  const className = attributes['class'];
  if (tag !== 'mjx-container' && (className === undefined || (element.hints & Hint.mayMath) === 0)) return undefined;
  if (
    tag === 'mjx-container' ||
    /(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax)(?=\s|$)/.test(className ?? '')
  )
    return rendered(element);
  return undefined;
}

/** Where a renderer wrote its own boxes and, beside them, the MathML that says what they mean. */
function rendered(element: Element): string | undefined {
  const math = findFirst(element, (inner) => inner.tag === 'math' || inner.tag === 'mjx-math');
  if (!math) return undefined;
  const written = math.tag === 'math' ? math : (findFirst(element, (inner) => inner.tag === 'math') ?? math);
  const display =
    written.attributes['display'] === 'block' ||
    /katex-display|mwe-math-element-block/.test(element.attributes['class'] ?? '') ||
    element.attributes['display'] === 'true';
  return formula(texOf(written) ?? texOfBoxes(written), display);
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
  const { alt, class: className, src = '' } = element.attributes;
  const isDrawn = DRAWN.test(src);
  const isFormula = isDrawn || /(?:^|\s)(?:latex|tex|mwe-math-fallback-image-\w+)(?=\s|$)/.test(className ?? '');
  if (alt)
    return isFormula || isTex(alt) ? formula(alt, /^\\begin\{(?:align|equation|gather)/.test(alt.trim())) : undefined;
  return isDrawn ? formula(texInAddress(src), false) : undefined;
}

/** Services that draw the formula their address spells. */
const DRAWN = /latex\.codecogs\.com\/|\/latex\.php\?|[?&]latex=|\/chart\?(?:[^#]*&)?cht=tx(?:&|$)/;

/** A command with arguments, as no description of a picture has one. */
const isTex = (alt: string): boolean => alt.length < 2_000 && /\\[a-z]{2,}\*?\s*[{(]/i.test(alt);

function texInAddress(src: string): string {
  const query = src.slice(src.indexOf('?') + 1, src.indexOf('?') + 2_001);
  const written =
    /(?:^|&)(?:chl|latex)=([^&]*)/.exec(query)?.[1] ??
    (query.includes('=') && !query.includes('\\') && !query.includes('%5C') ? '' : query);
  try {
    return decodeURIComponent(written.replace(/\+/g, ' '));
  } catch {
    return '';
  }
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
  ((element.hints & Hint.mayMath) !== 0 &&
    /(?:^|\s)(?:MathJax(?:_Display|_Preview|_SVG|_CHTML)?|katex-html|mwe-math-fallback-image-\w+)(?=\s|$)/.test(
      element.attributes['class'] ?? '',
    )) ||
  element.tag === 'mjx-assistive-mml';
