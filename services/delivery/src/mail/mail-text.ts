import { NodeHtmlMarkdown } from 'node-html-markdown';

const NEVER = /(?!)/g;

/** Plain text, so nothing is escaped or marked; links are followed by their address, and a table row is a paragraph. */
const CONVERTER = new NodeHtmlMarkdown(
  {
    bulletMarker: '-',
    maxConsecutiveNewlines: 2,
    globalEscape: [NEVER, ''],
    lineStartEscape: [NEVER, ''],
  },
  {
    h1: { surroundingNewlines: 2 },
    'strong,b': {},
    a: ({ node }) => ({ postprocess: ({ content }) => `${content}: ${node.getAttribute('href') ?? ''}` }),
    'table,tbody': { surroundingNewlines: 2 },
    tr: { surroundingNewlines: 2 },
    td: { surroundingNewlines: false, postfix: ' ' },
    br: { content: '\n  ', recurse: false },
  },
);

/** Converts the html of a mail to its plain text. Lines have no trailing spaces. */
export const mailText = (html: string): string => CONVERTER.translate(html).replace(/ +$/gm, '').trim();
