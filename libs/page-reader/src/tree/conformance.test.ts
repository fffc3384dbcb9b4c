import { describe, expect, it } from '@jest/globals';
import { HTML_DOCUMENTS } from '@tidemark/testkit/cases/html-documents';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import fc from 'fast-check';
import { parseByStandard } from '../../test/conforming-page.ts';
import { generatedPage } from '../../test/generated-page.ts';
import { toText } from '../output/write-text.ts';
import { measurePage } from './measure-page.ts';
import { Flag, isBlock, type Page, walk } from './page-tree.ts';
import { parsePage } from './parse-page.ts';

/** Returns the visible text of a page, with its blocks apart. */
function textOf(page: Page): string {
  measurePage(page);
  // The standard reopens links and moves blocks out of them: other inline elements are adjacent, and other ones contain a block. Otherwise,
  // reopening changes no text.
  walk(page.body, (element) => {
    element.flags &= ~Flag.apart;
    if (!isBlock(element.tag)) element.flags &= ~Flag.hasBlock;
    return undefined;
  });
  return toText([page.body], Flag.notRendered);
}

const tidemark = (html: string): string => textOf(parsePage(html));
const standard = (html: string): string => textOf(parseByStandard(html));

/** Accepted differences from the standard, each with its reason. */
const DIFFERENCES: readonly { reason: string; html: string; tidemark: string; standard: string }[] = [
  {
    reason: 'a page with few words shows the content of noscript, as a browser without scripts does',
    html: `<p>a</p><noscript>${`<p>${'b '.repeat(50).trim()}</p>`.repeat(4)}</noscript>`,
    tidemark: `a${`\n\n${'b '.repeat(50).trim()}`.repeat(4)}`,
    standard: 'a',
  },
  {
    reason: 'CDATA stands in the text of a formula: the standard reads it, parse5 does not',
    html: '<math><mi>a<![CDATA[b]]></mi></math>',
    tidemark: '$ab$',
    standard: '$a$',
  },
  {
    reason: 'a form between table parts follows a formatting element, which is not reopened',
    html: '<table><b><tfoot>a<form>b',
    tidemark: 'ab',
    standard: 'a\n\nb',
  },
  {
    reason: 'a formatting element ends inside a ruby text without ruby, which it leaves open',
    html: '<a>a<p>b<rt>c</a>d',
    tidemark: 'a\n\nb',
    standard: 'a\n\nbd',
  },
  {
    reason: 'a table stands in a paragraph without a document type, where the standard does not end the paragraph',
    html: '<p>a<table>b</table>c',
    tidemark: 'a\n\nb\n\nc',
    standard: 'ab\n\nc',
  },
  {
    reason: 'a font with a size stands in a picture, which it ends',
    html: '<svg><font size=1>a</font></svg>b',
    tidemark: 'b',
    standard: 'ab',
  },
  {
    reason: 'a select contains a title, whose markup is read as text',
    html: '<select>a<title>b<select>c',
    tidemark: '',
    standard: 'c',
  },
];

const tagsOf = (names: string): string[] => names.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`]);

/** Parts of broken pages, by what they break. */
const GRAMMARS: Readonly<Record<string, readonly string[]>> = {
  nesting: [
    ...tagsOf('p div b a i span section h1 h2 blockquote form button address br nobr center article main font'),
    '<a href=x>',
    '<hr>',
  ],
  lists: tagsOf('ul ol li dl dt dd p div b'),
  // Formatting elements between table parts are left out: reopening them, which changes no text, moves an empty form.
  tables: [
    ...tagsOf('table tr td th tbody thead tfoot caption colgroup div p form'),
    '<col>',
    '<input type=hidden>',
    ' ',
  ],
  rawText: [
    ...tagsOf('noscript template script style title textarea iframe noframes xmp noembed div p'),
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!--->',
    '<plaintext>',
    '<script',
    '</script x>',
  ],
  // Without annotation-xml, foreignObject in math and CDATA in mi, which parse5 reads differently from the standard.
  svg: [...tagsOf('svg foreignObject desc title div p g br script body'), '<![CDATA[', ']]>', '<path/>'],
  math: [...tagsOf('math mi mtext div p g br'), ']]>', '<mi/>'],
  cdata: ['<![CDATA[', ']]>', '<svg>', '</svg>', '<math>', '</math>', '<div>', '</p>', '>'],
  selects: [...tagsOf('select option optgroup p div datalist textarea button table td'), '<input>', '<hr>'],
  documents: [
    ...tagsOf('html head body frameset noframes title p div script noscript'),
    '<!doctype html>',
    '<body class=x>',
    '<frame>',
    '<meta>',
    '<link>',
    '<base>',
    '<br>',
  ],
  tokens: [
    '&amp',
    '&lt;',
    '&notit;',
    '&copy',
    '&#65;',
    '&#x41',
    '&#0;',
    '&#128;',
    '&nbsp;',
    '<',
    '</',
    '</1>',
    '<!',
    '<?',
    '<1',

    '<a b="',
    '">',
    "<a b='",
    "'>",
    "'",
    '"',
    '>',
    '=',
    '<p/>',
    '<p x=y>',
    '</p x>',
    '<a b=c d>',
    '<p">',
    '/',
    '\0',
    '\r',
    '\r\n',
    '<!--x-->',
    '<!--x--!>',
    '<!--x',
    '</p ',
    '<p ',
  ],
};

/** Returns pages of up to ten parts with numbered words between them. */
function pagesOf(parts: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.tuple(fc.constantFrom(...parts), fc.constantFrom('word', 'space', 'none'));
  return fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => {
    const words = { word: (at: number) => `t${at}`, space: () => ' ', none: () => '' };
    return pieces.map(([part, after], at) => `${part}${words[after](at)}`).join('');
  });
}

describe('visible text of a parsed page', () => {
  it.each(Object.entries(GRAMMARS))(
    'is that of the standard, as parse5 reads it, for broken markup: %s',
    (name, parts) => {
      const start = name === 'documents' ? '' : '<!doctype html><body>';
      const page = pagesOf(parts).map((html) => start + html);
      fc.assert(
        fc.property(page, (html) => expect({ html, text: tidemark(html) }).toEqual({ html, text: standard(html) })),
        { numRuns: 1_000, seed: 16 },
      );
    },
  );

  it.each(DIFFERENCES)('differs where $reason', (one) => {
    expect({ tidemark: tidemark(one.html), standard: standard(one.html) }).toEqual({
      tidemark: one.tidemark,
      standard: one.standard,
    });
  });

  it.each(rowsOf(HTML_DOCUMENTS))('is that of the standard by the rule that %s: %j', (_rule, html) => {
    expect({ html, text: tidemark(html) }).toEqual({ html, text: standard(html) });
  });

  it('is that of the standard on whole pages, with and without mistakes in their markup', () => {
    fc.assert(
      fc.property(generatedPage, (html) => expect(tidemark(html)).toBe(standard(html))),
      { numRuns: 300, seed: 16 },
    );
  });
});
