import { hashOf, randomOf } from '../shared/random.ts';
import { frame } from './page-frame.ts';
import type { SitePlan, SpecialPage } from './plan.ts';
import { headingOf, paragraphOf } from './words.ts';

const PARAGRAPHS = 8;
const WITH_ARTICLE = new Set(['limited', 'flaky', 'script_only', 'sitemap_only', 'feed_only', 'orphan', 'private']);

const randomFor = (plan: SitePlan, { kind, no }: SpecialPage) => randomOf(hashOf(plan.options.seed, kind, no, 'text'));

/** Returns the headline of a special page; the one of an app is written by its script. */
export const specialTitle = (plan: SitePlan, page: SpecialPage): string => headingOf(randomFor(plan, page));

const textOf = (plan: SitePlan, page: SpecialPage): string => {
  const next = randomFor(plan, page);
  headingOf(next);
  return Array.from({ length: PARAGRAPHS }, () => `<p>${paragraphOf(next)}</p>`).join('\n');
};

/** Returns what the script of an app fetches: its headline, its text and the pages that only scripts link to. */
export function appData(plan: SitePlan, page: SpecialPage): string {
  const hidden = plan.specials.filter(({ kind }) => kind === 'script_only');
  const apps = plan.specials.filter(({ kind }) => kind === 'app').length;
  const links = hidden.filter(({ no }) => no % apps === page.no).map(({ path }) => path);
  return JSON.stringify({ title: specialTitle(plan, page), html: textOf(plan, page), links });
}

export const appDataPath = ({ no }: SpecialPage): string => `/data/app-${no}.json`;
/** A path of data that the server does not have. */
const NO_DATA = '/data/none.json';

const scriptOf = (data: string): string => `<div id="root"></div><noscript>This application needs JavaScript.</noscript>
<script>fetch(${JSON.stringify(data)}).then(function (response) { if (!response.ok) throw new Error('no data'); return response.json(); }).then(function (page) {
  document.title = page.title;
  var links = page.links.map(function (path) { return '<li><a href="' + path + '">' + path + '</a></li>'; }).join('');
  document.getElementById('root').innerHTML = '<main><article><h1>' + page.title + '</h1>' + page.html + '</article><ul>' + links + '</ul></main>';
}).catch(function () {});</script>`;

const shellHtml = (data: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Northern Gauges</title><link rel="stylesheet" href="/assets/site.css"></head><body>${scriptOf(data)}</body></html>`;

const FORM =
  '<form method="post" action="/members/session"><label>E-mail <input type="email" name="email"></label><label>Password <input type="password" name="password"></label><button>Sign in</button></form>';

/** Returns the body of a special page that answers with one. */
export function specialHtml(plan: SitePlan, page: SpecialPage): string {
  const { path } = page;
  if (page.kind === 'app') return shellHtml(appDataPath(page));
  if (page.kind === 'shell') return shellHtml(NO_DATA);
  if (page.kind === 'login')
    return frame({ plan, path, title: 'Sign in', main: `<main><h1>Sign in</h1>${FORM}</main>` });
  if (page.kind === 'soft_404')
    return frame({
      plan,
      path,
      title: 'Page not found',
      main: '<main><h1>Page not found</h1><p>Sorry, the page you are looking for does not exist or has moved.</p></main>',
    });
  if (WITH_ARTICLE.has(page.kind)) {
    const title = specialTitle(plan, page);
    return frame({
      plan,
      path,
      title,
      canonical: path,
      main: `<main><article><h1>${title}</h1>${textOf(plan, page)}</article></main>`,
    });
  }
  return frame({ plan, path, title: 'Error', main: '<main><h1>Error</h1><p>The page can not be shown.</p></main>' });
}
