import { hashOf, integerOf, type Random, randomOf } from '../shared/random.ts';
import { documentOf, type PageDocument, timeOf } from './document.ts';
import { editedFooter, editedIn, hasAdvert, hasLatest, isMarkupEdited, isVolatile } from './edits.ts';
import { frame } from './page-frame.ts';
import { SECTIONS, type SitePlan, type TreeLinks } from './plan.ts';
import { headingOf, sentenceOf, wordsOf } from './words.ts';

const LATEST = 6;
const HYDRATION_WORDS = 2_450;

/** A page of the tree in one generation, with what its parts need. */
interface Drawn {
  readonly plan: SitePlan;
  readonly id: number;
  readonly generation: number;
  readonly document: PageDocument;
  /** Changes with every edit of the attributes. */
  readonly mark: string;
}

const linkTo = (plan: SitePlan, id: number, text: string, name: string): string =>
  `<a class="${name}" href="${plan.pathOf(id)}" data-track="${name}:${id}">${text}</a>`;

/** The title of another page. A stable one is enough for links: an edit of a title is no edit of the pages that link to it. */
const nameOf = (plan: SitePlan, id: number): string => headingOf(randomOf(hashOf(plan.options.seed, 'document', id)));

export const euros = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

function markOf(plan: SitePlan, id: number, generation: number): string {
  const steps = Array.from({ length: generation }, (_, step) => step + 1);
  return hashOf(plan.options.seed, 'mark', id, ...steps.filter((step) => isMarkupEdited(plan, id, step))).toString(36);
}

function articleOf({ plan, id, document, mark }: Drawn): string {
  const next = randomOf(hashOf(plan.options.seed, 'article', id));
  const parts = document.paragraphs.map((text, at) => {
    const heading = at > 0 && at % 4 === 0 ? `<h2 id="s${at}" class="h-${mark}">${headingOf(next)}</h2>\n` : '';
    return `${heading}<p class="text text-${mark}">${text}</p>`;
  });
  const items = Array.from({ length: 4 }, () => `<li>${sentenceOf(next)}</li>`).join('\n');
  const rows = Array.from(
    { length: 6 },
    (_, row) => `<tr><td>${headingOf(next)}</td><td>${integerOf(next, 10, 990)}</td><td>${row + 1}</td></tr>`,
  ).join('\n');
  const code = Array.from(
    { length: 4 },
    (_, row) => `step_${row} = measure(${integerOf(next, 1, 99)}, "${wordsOf(next, 2)}")`,
  );
  return [
    `<article class="entry entry-${mark}" data-id="${id}">`,
    `<h1>${document.title}</h1>`,
    `<p class="meta">Published <time datetime="${document.publishedAt}">${document.publishedAt.slice(0, 10)}</time></p>`,
    ...parts,
    `<ul class="points">${items}</ul>`,
    `<p class="text">The fee for this entry is ${euros(document.fee)} in every office of the region.</p>`,
    `<table><thead><tr><th>Entry</th><th>Amount</th><th>Row</th></tr></thead><tbody>${rows}</tbody></table>`,
    `<pre><code>${code.join('\n')}</code></pre>`,
    '</article>',
  ].join('\n');
}

/** The child pages: the content of a section page, and a menu outside the text of other pages. */
function childrenOf({ plan }: Drawn, { children, siblings, parent }: TreeLinks): string {
  const list = (name: string, ids: readonly number[]): string =>
    ids.length === 0
      ? ''
      : `<ul class="${name}">${ids.map((id) => `<li>${linkTo(plan, id, nameOf(plan, id), name)}</li>`).join('\n')}</ul>`;
  const up = parent === undefined ? '' : linkTo(plan, parent, nameOf(plan, parent), 'up');
  return `<nav class="pages" aria-label="Pages of this part">${up}${list('children', children)}${list('siblings', siblings)}</nav>`;
}

function cardsOf({ plan }: Drawn, { related }: TreeLinks): string {
  const card = (id: number): string => {
    const next = randomOf(hashOf(plan.options.seed, 'card', id));
    return `<li class="card" data-id="${id}"><img loading="lazy" src="/assets/thumb-${id % 50}.svg" alt="" width="160" height="90">
${linkTo(plan, id, nameOf(plan, id), 'card-link')}<span class="teaser">${wordsOf(next, 3)}</span></li>`;
  };
  return `<section class="related" aria-label="Related pages"><h2>Related</h2><ul>${related.map(card).join('\n')}</ul></section>`;
}

function sidebarOf(drawn: Drawn): string {
  const { plan, id, generation } = drawn;
  const parts: string[] = [];
  if (hasAdvert(plan, id)) {
    const next = randomOf(hashOf(plan.options.seed, 'advert', id, generation));
    parts.push(`<div class="ad banner" data-ad-slot="${id % 9}"><p>Advertisement</p><p>${sentenceOf(next)}</p></div>`);
  }
  if (hasLatest(plan, id)) {
    const next = randomOf(hashOf(plan.options.seed, 'latest', generation));
    const latest = Array.from({ length: LATEST }, () => `<li>${headingOf(next)}</li>`).join('\n');
    parts.push(`<section class="widget latest"><h2>Latest</h2><ul>${latest}</ul></section>`);
  }
  return `<aside class="sidebar">${parts.join('\n')}</aside>`;
}

const isFlat = ({ plan, id }: Drawn): boolean => id > 0 && id <= SECTIONS.length && plan.treeSize > 0;

function footerOf({ plan, id, generation }: Drawn): string {
  const section = plan.sectionOf(id);
  const steps = Array.from({ length: generation }, (_, step) => step + 1);
  const edition = steps.filter((step) => step > 1 && editedFooter(step) === section).length + 1;
  return `<p class="edition">Edition ${edition} of the ${section || 'home'} pages.</p>`;
}

/** What differs at every request of a volatile page. */
const counterOf = (seed: number, request: number): string =>
  `<p class="live"><span>${1_000 + (hashOf(seed, 'readers', request) % 9_000)}</span> readers are on this page now.</p>`;

function breadcrumbOf(plan: SitePlan, id: number): string {
  const trail: string[] = [];
  for (let at = plan.parentOf(id); at !== undefined && trail.length < 9; at = plan.parentOf(at))
    trail.unshift(linkTo(plan, at, at === 0 ? 'Home' : nameOf(plan, at), 'crumb'));
  return `<nav class="breadcrumb" aria-label="Breadcrumb">${trail.join(' / ')}</nav>`;
}

const specialsOf = ({ plan, id }: Drawn): string => {
  const links = plan.specialsOf(id).map(({ path }) => `<li><a href="${path}">${path.split('/').at(-1)}</a></li>`);
  const copy = plan.copyOf(id);
  if (copy !== undefined) links.push(`<li><a href="${copy.path}">Print version</a></li>`);
  return links.length === 0 ? '' : `<nav class="more" aria-label="More"><ul>${links.join('\n')}</ul></nav>`;
};

function hydrationOf(plan: SitePlan, id: number): string {
  const next: Random = randomOf(hashOf(plan.options.seed, 'state', id));
  const state = {
    page: id,
    theme: 'light',
    flags: wordsOf(next, 40).split(' '),
    cache: wordsOf(next, HYDRATION_WORDS),
  };
  return `<script id="state" type="application/json">${JSON.stringify(state)}</script>`;
}

/** Returns the page of a tree page in a generation; `request` numbers the requests, for pages with a live counter. */
export function treePageHtml(plan: SitePlan, id: number, generation: number, request = 0): string {
  const document = documentOf(plan, id, generation);
  const drawn: Drawn = { plan, id, generation, document, mark: markOf(plan, id, generation) };
  const links = plan.linksOf(id, generation);
  const article = articleOf(drawn);
  const pages = childrenOf(drawn, links);
  const main = [
    breadcrumbOf(plan, id),
    `<main id="content">${article}${isFlat(drawn) ? pages : ''}`,
    isVolatile(plan, id) ? counterOf(plan.options.seed, request) : '',
    cardsOf(drawn, links),
    '</main>',
    isFlat(drawn) ? '' : pages,
    sidebarOf(drawn),
    specialsOf(drawn),
    hydrationOf(plan, id),
  ];
  return frame({
    plan,
    path: plan.pathOf(id),
    title: document.title,
    canonical: plan.pathOf(id),
    published: document.publishedAt,
    modified: timeOf(editedIn(plan, id, generation)).toISOString(),
    main: main.join('\n'),
    footer: footerOf(drawn),
  });
}

/** Returns the print version of a tree page: its article and its canonical link. */
export function copyHtml(plan: SitePlan, id: number, generation: number): string {
  const document = documentOf(plan, id, generation);
  return frame({
    plan,
    path: `/print${plan.pathOf(id)}`,
    title: document.title,
    canonical: plan.pathOf(id),
    published: document.publishedAt,
    modified: timeOf(editedIn(plan, id, generation)).toISOString(),
    main: `<main id="content">${articleOf({ plan, id, generation, document, mark: 'print' })}</main>`,
    footer: '',
  });
}
