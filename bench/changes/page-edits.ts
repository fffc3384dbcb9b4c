import type { Tokens } from './random-tokens.ts';

/** Writes a page as one visit sees it. Two visits with the same content differ only in what `tokens` gives. */
export type PageEdit = (html: string, tokens: Tokens) => string;

/** An edit of an author: the page before it and after it. */
export type AuthorEdit = (html: string, tokens: Tokens) => readonly [before: string, after: string];

const HREF = /(<a\s[^>]*?href=)(["'])(.*?)\2/gi;
const MAX_LINKS = 400;

/** Rewrites every n-th link of a page that leads to another page. */
function rewriteLinks(html: string, every: number, write: (href: string, at: number) => string): string {
  let [seen, written] = [0, 0];
  return html.replace(HREF, (whole, start: string, quote: string, href: string) => {
    if (!/^(?:https?:|\/)/.test(href)) return whole;
    seen += 1;
    if (seen % every !== 0 || written >= MAX_LINKS) return whole;
    written += 1;
    return `${start}${quote}${write(href, written)}${quote}`;
  });
}

const withQuery = (href: string, query: string): string => {
  const [page = '', fragment] = href.split('#', 2);
  return `${page}${page.includes('?') ? '&amp;' : '?'}${query}${fragment === undefined ? '' : `#${fragment}`}`;
};

/** Inserts markup after the paragraph or item in the middle of the page. */
export function insert(html: string, markup: string): string {
  const ends = [...html.matchAll(/<\/p>/gi)].map(({ index }) => index + 4);
  const at = ends[Math.floor(ends.length / 2)];
  return at === undefined ? html.replace(/<\/body>/i, `${markup}</body>`) : html.slice(0, at) + markup + html.slice(at);
}

const insertHead = (html: string, markup: string): string =>
  /<\/head>/i.test(html) ? html.replace(/<\/head>/i, `${markup}</head>`) : `<head>${markup}</head>${html}`;

const day = (epoch: number): string => new Date(epoch * 1_000).toISOString().replace(/[-:]|\.\d+/g, '');

/** Link targets that servers write differently on every visit. */
export const LINK_TOKENS: Readonly<Record<string, PageEdit>> = {
  'signed downloads (SigV4)': (html, tokens) =>
    rewriteLinks(html, 9, (href) => {
      const date = day(tokens.epoch());
      const signature = tokens.hex(64);
      return withQuery(
        href,
        `X-Amz-Algorithm=AWS4-HMAC-SHA256&amp;X-Amz-Credential=AKIA%2F${date.slice(0, 8)}%2Feu%2Fs3%2Faws4_request&amp;X-Amz-Date=${date}&amp;X-Amz-Expires=300&amp;X-Amz-SignedHeaders=host&amp;X-Amz-Signature=${signature}`,
      );
    }),
  'signed downloads (CDN)': (html, tokens) =>
    rewriteLinks(html, 9, (href) =>
      withQuery(href, `Expires=${tokens.epoch()}&amp;Signature=${tokens.base64(86)}&amp;Key-Pair-Id=${tokens.hex(20)}`),
    ),
  'signed downloads (SAS)': (html, tokens) =>
    rewriteLinks(html, 11, (href) =>
      withQuery(
        href,
        `sv=2023-01-03&amp;se=${new Date(tokens.epoch() * 1_000).toISOString()}&amp;sr=b&amp;sp=r&amp;sig=${tokens.base64(43)}%3D`,
      ),
    ),
  'login with a return URL': (html, tokens) =>
    rewriteLinks(html, 8, () => {
      const back = encodeURIComponent(`https://site.example/terms?state=${tokens.base64(22)}`);
      return `https://id.example/login?return_to=${back}&amp;nonce=${tokens.base64(16)}&amp;state=${tokens.hex(24)}`;
    }),
  'cache busters': (html, tokens) =>
    rewriteLinks(html, 6, (href, at) =>
      at % 2 === 0
        ? `/files/brochure-${at}.pdf?v=${tokens.epoch()}`
        : withQuery(href, `_=${tokens.epoch()}${tokens.below(1_000)}`),
    ),
  'one session on all links': (html, tokens) => {
    const session = tokens.hex(32);
    return rewriteLinks(html, 1, (href) => withQuery(href, `zx=${session}`));
  },
  'a token per link': (html, tokens) => rewriteLinks(html, 5, (href) => withQuery(href, `k=${tokens.base64(24)}`)),
  'a token on one link': (html, tokens) => {
    const token = tokens.hex(40);
    return insert(html, `<p>Read <a href="/account/portal?h=${token}">your account page</a> for the settings.</p>`);
  },
  'redirects with a token in the path': (html, tokens) =>
    rewriteLinks(
      html,
      4,
      (href) => `https://click.example/r/${tokens.hex(40)}/?u=${encodeURIComponent(href.replaceAll('&amp;', '&'))}`,
    ),
  'a token in the fragment': (html, tokens) =>
    rewriteLinks(html, 5, (href) => `${href.split('#', 1)[0]}#s=${tokens.hex(16)}`),
};

const link = (href: string): string => `<p>See <a href="${href}">the current document</a> for the details of it.</p>`;
const linked = (html: string, before: string, after: string): readonly [string, string] => [
  insert(html, link(before)),
  insert(html, link(after)),
];

/** Real changes of a link's target; the text stays. */
export const LINK_EDITS: Readonly<Record<string, AuthorEdit>> = {
  'another path': (html) => linked(html, '/documents/terms-2024', '/documents/terms-2025'),
  'another host': (html) => linked(html, 'https://one.example/fees', 'https://two.example/fees'),
  'another number in the query': (html) => linked(html, '/view?id=117', '/view?id=118'),
  'another file': (html) => linked(html, '/files/price-list.pdf', '/files/price-list-summer.pdf'),
  'another document id': (html, tokens) =>
    linked(html, `/view?doc=${tokens.uuid()}&amp;lang=en`, `/view?doc=${tokens.uuid()}&amp;lang=en`),
  'another video': (html, tokens) =>
    linked(
      html,
      `https://video.example/watch?v=${tokens.base64(11)}`,
      `https://video.example/watch?v=${tokens.base64(11)}`,
    ),
  'another target of a redirect': (html) => {
    const out = (target: string): string => `https://out.example/go?url=${encodeURIComponent(target)}`;
    return linked(html, out('https://shop.example/basic'), out('https://shop.example/premium'));
  },
  'another path among rotating tokens': (html, tokens) => {
    const visit = (target: string): string => {
      const session = tokens.hex(32);
      return rewriteLinks(insert(html, link(target)), 1, (href) => withQuery(href, `zx=${session}`));
    };
    return [visit('/documents/terms-2024'), visit('/documents/terms-2025')];
  },
};

/** Markup without a visible text that comes and goes. */
export const EMPTY_BLOCKS: Readonly<Record<string, AuthorEdit>> = Object.fromEntries(
  Object.entries({
    'a picture without alternative text': '<p><img src="/assets/flower-border.png"></p>',
    'a decorative picture': '<p><img src="/assets/flower-border.png" alt=""></p>',
    'a paragraph': '<p></p><div>&nbsp;</div>',
    'a bullet': '<ul><li>•</li></ul>',
    'a separator': '<p> | </p>',
    'a linked icon': '<p><a href="/feed/subscribe"><img src="/assets/icon-17.svg" alt=""></a></p>',
  }).map(([name, markup]) => [name, (html: string) => [html, insert(html, markup)] as const]),
);

/** Spaces that no reader sees. */
export const SPACING: Readonly<Record<string, AuthorEdit>> = Object.fromEntries(
  Object.entries({
    'before a full stop': ['We keep it <b>safe</b>.', 'We keep it <b>safe</b><span>.</span>'],
    'before a comma': ['It is free, and it stays free.', 'It is free , and it stays free.'],
    'inside brackets': ['The fee (see below) stays.', 'The fee ( see below ) stays.'],
  }).map(([name, [before = '', after = '']]) => [
    name,
    (html: string) => [insert(html, `<p>${before}</p>`), insert(html, `<p>${after}</p>`)] as const,
  ]),
);

/** Real changes of elements without text of their own. */
export const VISIBLE_EDITS: Readonly<Record<string, AuthorEdit>> = {
  'a picture with a text': (html) => [html, insert(html, '<p><img src="/m.png" alt="Map of the service area"></p>')],
  'a titled film': (html) => [
    html,
    insert(html, '<p><iframe src="https://video.example/embed/a" title="How we handle data"></iframe></p>'),
  ],
  'a short line': (html) => [html, insert(html, '<p>No.</p>')],
};

const atTop = (html: string, markup: string): string =>
  /<\/body>/i.test(html) ? html.replace(/<\/body>/i, () => `${markup}</body>`) : html + markup;

/** What editors and testers of a site see, and visitors do not, or what says nothing. */
export const WIDGETS: Readonly<Record<string, AuthorEdit>> = {
  'the bar of an editor': (html) => [
    html,
    atTop(html, '<iframe id="bar" src="https://builder.example/bar?site=1"></iframe>'),
  ],
  'a titled bar in a box': (html) => [
    html,
    atTop(html, '<div id="edit-tools"><iframe src="https://builder.example/tools" title="Editor"></iframe></div>'),
  ],
  'a frame without a size': (html) => [
    html,
    insert(
      html,
      '<p><iframe src="https://sync.example/s" style="position:absolute;width:0;height:0;border:0"></iframe></p>',
    ),
  ],
  'a frame out of view': (html) => [
    html,
    insert(html, '<p><iframe src="https://sync.example/s" style="position:absolute; left:-9999px"></iframe></p>'),
  ],
  'a button of a tester': (html) => [html, atTop(html, '<div class="qa-box"><button>Report a problem</button></div>')],
  'a frame that another run has not': (html) => [
    atTop(html, '<iframe src="https://poll.example/frame/1"></iframe>'),
    html,
  ],
};

const LANGUAGES =
  'ar bg cs da de el es et fi fr ga he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sv th tr uk vi zh';
const alternate = (language: string, more = ''): string =>
  `<link rel="alternate" hreflang="${language}" href="https://site.example/${language}/terms${more}">`;

/** Returns a page with a list of languages in its head. */
const withLanguages = (html: string, languages: readonly string[], more = ''): string =>
  insertHead(html, languages.map((language) => alternate(language, more)).join(''));

/** Values of the head that differ without an edit. */
export const HEAD_LISTS: Readonly<Record<string, PageEdit>> = {
  'order of languages': (html, tokens) => withLanguages(html, tokens.shuffled(LANGUAGES.split(' '))),
  'languages listed twice': (html, tokens) => {
    const languages = LANGUAGES.split(' ');
    return withLanguages(html, [...languages, languages[tokens.below(20)] ?? 'de']);
  },
  'tokens in the URLs of languages': (html, tokens) =>
    withLanguages(html, LANGUAGES.split(' '), `?sessionid=${tokens.hex(32)}`),
};

/** A list that rotates: nothing in one pair shows that it does. */
export const rotatingLanguages: PageEdit = (html, tokens) =>
  withLanguages(html, tokens.shuffled(LANGUAGES.split(' ')).slice(0, 25));

/** Real edits of the head. */
export const HEAD_EDITS: Readonly<Record<string, AuthorEdit>> = {
  'a language removed': (html) => [withLanguages(html, ['de', 'en', 'fr']), withLanguages(html, ['de', 'en'])],
  'a URL of a language': (html) => [withLanguages(html, ['de', 'fr']), withLanguages(html, ['de', 'fr'], '-new')],
};
