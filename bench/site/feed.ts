import { timeOf } from './document.ts';
import type { SitePlan } from './plan.ts';

export const FEED = '/feed.xml';
const TREE_ITEMS = 30;

/** Returns the paths that the feed lists: the latest pages of the tree, and pages that nothing else names. */
export function feedPaths(plan: SitePlan, generation: number): string[] {
  const latest = plan
    .ids(generation)
    .slice(-TREE_ITEMS)
    .map((id) => plan.pathOf(id));
  return [...latest, ...plan.specials.filter(({ kind }) => kind === 'feed_only').map(({ path }) => path)];
}

/** Returns the feed as RSS 2.0. */
export function feedXml(plan: SitePlan, generation: number, origin: string): string {
  const date = timeOf(generation).toUTCString();
  const items = feedPaths(plan, generation).map(
    (path) =>
      `<item><title>${path.split('/').at(-1)}</title><link>${origin}${path}</link><guid>${origin}${path}</guid><pubDate>${date}</pubDate></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Northern Gauges</title><link>${origin}/</link><description>Latest pages</description>${items.join('\n')}</channel></rss>\n`;
}
