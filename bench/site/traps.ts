import { hashOf, randomOf } from '../shared/random.ts';
import { frame } from './page-frame.ts';
import type { SitePlan } from './plan.ts';
import { paragraphOf } from './words.ts';

/** An endless section of the site. */
export interface Trap {
  readonly name: 'calendar' | 'session' | 'facets';
  readonly entrance: string;
  /** Regular expression of the URLs that belong to it. */
  readonly pattern: string;
}

export const TRAPS: readonly Trap[] = [
  { name: 'calendar', entrance: '/calendar?day=0', pattern: '^/calendar\\?' },
  { name: 'session', entrance: '/shop?sid=start', pattern: '^/shop\\?' },
  { name: 'facets', entrance: '/catalogue?colour=any', pattern: '^/catalogue\\?' },
];

const FACETS = {
  colour: ['red', 'blue', 'grey'],
  size: ['small', 'large'],
  sort: ['price', 'name'],
  page: ['2', '3', '4'],
};

/** Returns the links of a trap's page: each leads to URLs that no page before it named. */
function linksOf(name: Trap['name'], { searchParams }: URL, request: number): string[] {
  if (name === 'calendar') {
    const day = Number(searchParams.get('day'));
    return [day - 1, day + 1, day + 30].map((other) => `/calendar?day=${other}`);
  }
  if (name === 'session') return [0, 1, 2].map((at) => `/shop?sid=${hashOf('session', request, at).toString(16)}`);
  return Object.entries(FACETS).flatMap(([key, choices]) =>
    choices.map((choice) => {
      const query = new URLSearchParams(searchParams);
      query.append(key, choice);
      return `/catalogue?${query}`;
    }),
  );
}

/** Returns the page of a trap, or undefined for other paths. `request` numbers the requests: session ids never repeat. */
export function trapHtml(plan: SitePlan, url: URL, request: number): string | undefined {
  const trap = TRAPS.find(({ entrance }) => entrance.startsWith(`${url.pathname}?`));
  if (trap === undefined) return undefined;
  const next = randomOf(hashOf(plan.options.seed, trap.name, url.search));
  const items = linksOf(trap.name, url, request).map(
    (path) => `<li><a href="${path.replaceAll('&', '&amp;')}">${path.length}</a></li>`,
  );
  const main = `<main><h1>${trap.name}</h1><p>${paragraphOf(next)}</p><ul>${items.join('\n')}</ul></main>`;
  return frame({ plan, path: url.pathname, title: trap.name, main });
}
