import { type Random, randomOf } from '../shared/random.ts';
import { SECTIONS, type SitePlan } from './plan.ts';
import { sentenceOf, wordsOf } from './words.ts';

/** The variable parts of a page; everything else is the same on every page of the site. */
interface Framed {
  readonly plan: SitePlan;
  readonly path: string;
  readonly title: string;
  readonly canonical?: string;
  readonly published?: string;
  readonly modified?: string;
  readonly main: string;
  readonly footer?: string;
  readonly head?: string;
}

const STYLE_RULES = 70;
const ICONS = 24;

/** The parts that every page repeats, built once for a site. */
interface Constant {
  readonly style: string;
  readonly header: string;
  readonly banner: string;
  readonly footer: string;
  readonly icons: string;
}
const constants = new WeakMap<SitePlan, Constant>();

/** Symbols that pages carry in their markup, as many sites do. */
const iconsOf = (next: Random): string => {
  const number = (): string => (next() * 24).toFixed(2);
  const path = (): string => Array.from({ length: 14 }, () => `L${number()} ${number()}`).join('');
  const symbol = (at: number): string =>
    `<symbol id="icon-${at}" viewBox="0 0 24 24"><path d="M${number()} ${number()}${path()}Z"/></symbol>`;
  return `<svg hidden xmlns="http://www.w3.org/2000/svg">${Array.from({ length: ICONS }, (_, at) => symbol(at)).join('\n')}</svg>`;
};

function constantOf(plan: SitePlan): Constant {
  const known = constants.get(plan);
  if (known !== undefined) return known;
  const next = randomOf(plan.options.seed);
  const rules = Array.from(
    { length: STYLE_RULES },
    (_, at) =>
      `.part-${at}{margin:${at % 7}px;padding:${at % 11}px;color:#${(at * 4_099).toString(16).padStart(6, '0')}}`,
  );
  const items = SECTIONS.map((name) => `<li class="menu-item"><a class="menu-link" href="/${name}/">${name}</a></li>`);
  const built = {
    style: `<style>${rules.join('')}</style>`,
    header: `<header class="top"><a class="logo" href="/">Northern Gauges</a><nav class="menu" aria-label="Main"><ul>${items.join('\n')}</ul></nav></header>`,
    banner: `<div class="cookie-banner" role="dialog" aria-label="Cookies"><p>This site stores cookies to count visits. ${sentenceOf(next)}</p><button type="button">Accept</button><button type="button">Refuse</button></div>`,
    icons: iconsOf(next),
    footer: `<address>Northern Gauges, ${wordsOf(next, 4)}</address><ul>${items.join('\n')}</ul><p>${wordsOf(next, 12)}.</p>`,
  };
  constants.set(plan, built);
  return built;
}

function headOf({ title, path, canonical, published, modified, head = '' }: Framed): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: title,
    datePublished: published,
    dateModified: modified,
  };
  return [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title} | Northern Gauges</title>`,
    `<meta name="description" content="${title}: an entry of the gauges."><meta property="og:title" content="${title}">`,
    `<meta property="og:url" content="${path}">`,
    canonical === undefined ? '' : `<link rel="canonical" href="${canonical}">`,
    '<link rel="alternate" type="application/rss+xml" title="Latest" href="/feed.xml">',
    published === undefined ? '' : `<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    head,
  ].join('\n');
}

/** Returns a whole HTML page. Links are relative to the root, so that every host serves the same bytes. */
export function frame(framed: Framed): string {
  const { style, header, banner, footer, icons } = constantOf(framed.plan);
  return `<!doctype html>
<html lang="en"><head>${headOf(framed)}${style}</head><body>
${icons}
${header}
${framed.main}
<footer class="bottom">${framed.footer ?? ''}${footer}</footer>
${banner}
</body></html>`;
}
