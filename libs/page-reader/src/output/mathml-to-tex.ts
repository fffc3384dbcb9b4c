import { collapseSpaces, type Element, isElement, rawText } from '../tree/page-tree.ts';
import { BOX_CAP, SEARCH_CAP } from './thresholds.ts';

/** Pairs the entries of a list of alternating symbols and commands. */
function pairs(list: string): [string, string][] {
  const all = list.split(' ');
  return all.flatMap((symbol, at): [string, string][] => (at % 2 === 0 ? [[symbol, `\\${all[at + 1] ?? ''}`]] : []));
}

function greek(letters: string, names: string): [string, string][] {
  const all = names.split(' ');
  return [...letters].map((letter, at): [string, string] => [letter, `\\${all[at] ?? ''}`]);
}

/** Symbols that have a TeX command. Styled letters are first reduced by compatibility normalisation. */
const SYMBOLS = new Map<string, string>([
  ...pairs(
    '∑ sum ∏ prod ∫ int ∮ oint √ surd ∞ infty ∂ partial ∇ nabla ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ∘ circ ≠ neq ≤ leq ≥ geq ≈ approx ≡ equiv ∼ sim ≅ cong ∝ propto ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ¬ neg ∧ wedge ∨ vee → to ← leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ↔ leftrightarrow ↦ mapsto … ldots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle ℓ ell ℝ mathbb{R} ℕ mathbb{N} ℤ mathbb{Z} ℂ mathbb{C} ℚ mathbb{Q} ⊕ oplus ⊗ otimes ⊥ perp ∥ parallel ′ prime',
  ),
  ...greek(
    'αβγδεζηθικλμνξπρςστυφχψω',
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma tau upsilon phi chi psi omega',
  ),
  ...greek(
    'ΓΔΘΛΞΠΣΥΦΨΩϵϑϕϖϱ',
    'Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega epsilon vartheta varphi varpi varrho',
  ),
  ['−', '-'],
  ['\u2061', ''],
  ['\u2062', ''],
  ['\u2063', ''],
  ['\u2064', ''],
  ['{', '\\{'],
  ['}', '\\}'],
  ['%', '\\%'],
]);

const FUNCTIONS = new Set('sin cos tan log ln exp lim max min sup inf det dim ker arg gcd mod'.split(' '));

/**
 * Writes TeX for a formula that exists only as presentation: MathML, or MathJax boxes, which are named after MathML.
 * https://www.w3.org/TR/mathml-core/
 */
export const texOfMathml = (element: Element): string => new MathmlWriter().tex(element);

class MathmlWriter {
  #left = BOX_CAP;

  tex(element: Element): string {
    if (this.#left-- <= 0) return '';
    const name = nameOf(element);
    switch (name) {
      case 'mi':
      case 'mn':
      case 'mo':
        return symbols(textIn(element));
      case 'mtext':
        return `\\text{${collapseSpaces(textIn(element)).replace(/[\\{}$]/g, '')}}`;
      case 'mspace':
      case 'annotation':
      case 'annotation-xml':
        return '';
      case 'mfrac':
        return `\\frac{${this.#part(element, 'num', 0)}}{${this.#part(element, 'den', 1)}}`;
      case 'msqrt':
        return `\\sqrt{${this.#box(element, 'box') ?? this.#all(element)}}`;
      case 'mroot':
        return `\\sqrt[${this.#part(element, 'root', 1)}]{${this.#part(element, 'box', 0)}}`;
      case 'msub':
      case 'munder':
        return `${this.#part(element, 'base', 0)}_{${this.#part(element, 'under', 1)}}`;
      case 'msup':
      case 'mover':
        return `${this.#part(element, 'base', 0)}^{${this.#part(element, 'over', 1)}}`;
      case 'msubsup':
      case 'munderover':
        return this.#bothScripts(element);
      case 'mtable':
        return `\\begin{matrix} ${this.#joined(element, ' \\\\ ')} \\end{matrix}`;
      case 'mtr':
        return this.#joined(element, ' & ');
      default:
        return this.#all(element);
    }
  }

  #joined(element: Element, between: string): string {
    return partsOf(element)
      .map((part) => this.tex(part))
      .join(between);
  }

  #all(element: Element): string {
    const parts = element.children.map((child) => (typeof child === 'string' ? symbols(child) : this.tex(child)));
    return parts.filter((part) => part.trim() !== '').join(' ');
  }

  /** Writes a part, found by the name of its MathJax box or by its index among MathML children. */
  #part(element: Element, name: string, at: number): string {
    const child = partsOf(element)[at];
    return this.#box(element, name) ?? (child ? this.tex(child) : '');
  }

  #box(element: Element, name: string): string | undefined {
    const found = element.tag.startsWith('mjx-') ? nearest(element, `mjx-${name}`) : undefined;
    return found && this.#all(found);
  }

  #bothScripts(element: Element): string {
    const script = partsOf(element).find((child) => child.tag === 'mjx-script');
    if (!script) {
      const [base, under] = [this.#part(element, 'base', 0), this.#part(element, 'under', 1)];
      return `${base}_{${under}}^{${this.#part(element, 'over', 2)}}`;
    }
    // MathJax draws the upper script before the lower one.
    const [upper, lower] = partsOf(script).filter((child) => child.tag !== 'mjx-spacer');
    const [base, below, above] = [partsOf(element)[0], lower, upper].map((part) => (part ? this.tex(part) : ''));
    return `${base}_{${below}}^{${above}}`;
  }
}

const partsOf = (element: Element): Element[] =>
  element.children.filter(isElement).filter((child) => nameOf(child) !== 'annotation');

/** Returns the nearest descendant with the tag, breadth first. */
function nearest(start: Element, tag: string): Element | undefined {
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    for (const child of queue[at]?.children ?? []) {
      if (typeof child === 'string') continue;
      if (child.tag === tag) return child;
      if (queue.length < SEARCH_CAP) queue.push(child);
    }
  }
  return undefined;
}

const nameOf = (element: Element): string => (element.tag.startsWith('mjx-') ? element.tag.slice(4) : element.tag);

/** Returns the text, or the characters that MathJax glyph boxes encode in their class names. */
function textIn(element: Element): string {
  const text = rawText(element, 400);
  if (text.trim() !== '' || !element.tag.startsWith('mjx-')) return text;
  return element.children
    .filter(isElement)
    .map((glyph) => /mjx-c([0-9A-F]{2,5})(?=\s|$)/.exec(glyph.attributes['class'] ?? '')?.[1])
    .map((code) => (code === undefined ? '' : String.fromCodePoint(Number.parseInt(code, 16))))
    .join('');
}

function symbols(text: string): string {
  const plain = collapseSpaces(text);
  if (FUNCTIONS.has(plain)) return `\\${plain}`;
  if (/^[\x20-\x7e]*$/.test(plain) && !/[{}%]/.test(plain)) return plain;
  return [...plain]
    .map((letter) => SYMBOLS.get(letter) ?? SYMBOLS.get(letter.normalize('NFKC')) ?? letter.normalize('NFKC'))
    .join(' ')
    .trim();
}
