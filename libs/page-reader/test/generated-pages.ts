import fc from 'fast-check';
import type { ContentOptions } from '../src/options/content-options.ts';

const PROSE = `<p>${'A sentence of the page, which says something about its subject. '.repeat(6)}</p>`;

const TEXTS = fc.constantFrom(
  'one',
  ' two ',
  'Three',
  ' $4.50',
  '五',
  '。',
  ' a\u00a0b ',
  'c\u3000',
  '\n\n\n',
  ' ',
  '✓',
  '| ',
  'x\u200by',
  'A sentence, with a stop. ',
);
const CLASSES = fc.constantFrom(
  '',
  'nav',
  'footer',
  'sidebar',
  'header',
  'comment',
  'modal',
  'ad',
  'sr-only',
  'tab-pane',
  'collapse',
  'lineno',
  'note',
  'article-body',
  'caption',
  'katex',
  'MathJax_Preview',
  'byline',
);
const HIDING = fc.constantFrom(
  '',
  '',
  '',
  ' hidden',
  ' hidden="until-found"',
  ' aria-hidden="true"',
  ' style="display:none"',
  ' role="tabpanel" hidden',
  ' id="p1" hidden',
  ' id="p2" style="display:none"',
  ' role="tab" aria-controls="p1"',
  ' aria-expanded="false" aria-controls="p2"',
  ' data-math="x^2"',
);
const LEAVES = fc.constantFrom(
  '<br>',
  '<img src="/a.png" alt="of it">',
  '<input placeholder="Name">',
  '<input type="hidden" value="x">',
  '<hr>',
  '<wbr>',
  '<svg><text>drawn</text></svg>',
  '<script>s()</script>',
  '<script type="math/tex">x^2</script>',
  '<select><option>one</option></select>',
  '<iframe src="/f" title="Frame"></iframe>',
  '<math><mi>x</mi><mn>2</mn></math>',
  '<noscript><p>none</p></noscript>',
  '<template><p>t</p></template>',
);
const TAGS = fc.constantFrom(
  ...(
    'div div div p p span span b i a em sup code pre ul li ol dl dt dd section article main aside nav header footer h1 h2 h3 ' +
    'blockquote figure figcaption details summary button label textarea form fieldset ruby rt x-card table tr td th caption time'
  ).split(' '),
);

/** Trees of up to four levels. The parser repairs what they nest wrongly. */
const { tree: TREE } = fc.letrec<{ tree: string; node: string }>((tie) => ({
  tree: fc.array(tie('node'), { maxLength: 6 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'medium', maxDepth: 5 },
    { weight: 4, arbitrary: TEXTS },
    { weight: 1, arbitrary: LEAVES },
    {
      weight: 5,
      arbitrary: fc
        .tuple(TAGS, CLASSES, HIDING, tie('tree'))
        .map(
          ([tag, name, hiding, inner]) => `<${tag}${name === '' ? '' : ` class="${name}"`}${hiding}>${inner}</${tag}>`,
        ),
    },
  ),
}));

/** A page whose elements are hidden, named and nested in all the ways that decide what is content. */
export const GENERATED_PAGE: fc.Arbitrary<string> = fc
  .tuple(TREE, fc.constantFrom('', PROSE, `<main>${PROSE}`), TREE)
  .map(([before, prose, after]) => `<body>${before}${prose}${after}`);

/** Choices of the content, all of which text and blocks follow. */
export const GENERATED_OPTIONS: fc.Arbitrary<Partial<ContentOptions>> = fc.record({
  onlyMainContent: fc.boolean(),
  removeBanners: fc.boolean(),
  excludeSelectors: fc.constantFrom([], [], ['.sidebar', 'b']),
  includeSelectors: fc.constantFrom([], [], [], ['p'], ['li', '.note', 'td']),
});
