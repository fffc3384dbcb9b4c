import { Hint } from '../tree/name-hints.ts';
import { type Element, findFirst, rawText } from '../tree/page-tree.ts';
import { texOfMathml } from './mathml-to-tex.ts';
import { TEX_CHARS } from './thresholds.ts';

/** Returns a formula as TeX between dollar signs; undefined if the element is not a formula. */
export function formulaOf(element: Element): string | undefined {
  const { tag, attributes } = element;
  if (tag === 'math') return formula(texOf(element) ?? texOfMathml(element), attributes['display'] === 'block');
  if (tag === 'script') return scriptFormula(element);
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

/** Reads the source that MathJax 2 leaves in the page: `<script type="math/tex; mode=display">`. */
function scriptFormula(element: Element): string | undefined {
  const type = element.attributes['type'] ?? '';
  return /^math\/(?:tex|asciimath)/.test(type) ? formula(rawText(element), type.includes('mode=display')) : undefined;
}

/** Reads the MathML that a renderer (KaTeX, MathJax) writes beside its own boxes. */
function rendered(element: Element): string | undefined {
  const math = findFirst(element, (inner) => inner.tag === 'math' || inner.tag === 'mjx-math');
  if (!math) return undefined;
  const written = math.tag === 'math' ? math : (findFirst(element, (inner) => inner.tag === 'math') ?? math);
  const display =
    written.attributes['display'] === 'block' ||
    /katex-display|mwe-math-element-block/.test(element.attributes['class'] ?? '') ||
    element.attributes['display'] === 'true';
  return formula(texOf(written) ?? texOfMathml(written), display);
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
  return isDrawn ? formula(texInUrl(src), false) : undefined;
}

/** Services that draw the formula given in the image URL. */
const DRAWN = /latex\.codecogs\.com\/|\/latex\.php\?|[?&]latex=|\/chart\?(?:[^#]*&)?cht=tx(?:&|$)/;

/** True for a TeX command with arguments; no ordinary image description contains one. */
const isTex = (alt: string): boolean => alt.length < TEX_CHARS && /\\[a-z]{2,}\*?\s*[{(]/i.test(alt);

function texInUrl(src: string): string {
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

/** True for previews and fallbacks that repeat a formula. */
export const isDuplicateFormula = (element: Element): boolean =>
  ((element.hints & Hint.mayMath) !== 0 &&
    /(?:^|\s)(?:MathJax(?:_Display|_Preview|_SVG|_CHTML)?|katex-html|mwe-math-fallback-image-\w+)(?=\s|$)/.test(
      element.attributes['class'] ?? '',
    )) ||
  element.tag === 'mjx-assistive-mml';
