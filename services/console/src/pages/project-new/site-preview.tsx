import type { MapEnvelope } from '@tidemark/sdk';
import { pagePrice } from '../../parts/settings/page-price.ts';
import { pagePriceText, useEngines } from '../../parts/settings/run-price.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import type { ReadSite } from './use-site-preview.ts';

const { preview: texts } = words.projects.create;
const SHOWN_SECTIONS = 6;
const SHOWN_PAGES = 5;

/** What will be read of a site, and what it costs. */
export function SitePreview({ of: seen, maxPages }: { of: ReadSite; maxPages: number }) {
  if (seen.fetchStatus === 'idle' && seen.data === undefined && seen.error === null) return null;
  return (
    <section aria-label={texts.title} className="rounded-lg border border-line p-4" aria-live="polite">
      <Loaded of={seen} rows={3}>
        {(map) => <Seen map={map} maxPages={maxPages} />}
      </Loaded>
    </section>
  );
}

function Seen({ map, maxPages }: { map: MapEnvelope; maxPages: number }) {
  const engines = useEngines();
  const { urls } = map.totals;
  const pages = Math.min(Math.max(urls, 1), maxPages);
  const each = engines && pagePrice(engines.ladder, {}, engines.hasExits);
  const sections = [...Map.groupBy(map.data, ({ section }) => section)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  return (
    <>
      <p className="font-medium">
        {urls === 0
          ? texts.nothing
          : map.method === 'links'
            ? texts.fromLinks(words.counts.pages(urls))
            : texts.found(words.counts.pages(urls))}
      </p>
      {each === undefined ? null : (
        <p className="mt-1">
          {texts.price(words.counts.credits(pages * each.min), words.counts.pages(pages))}, {pagePriceText(each)}
        </p>
      )}
      <p className="mt-1 text-xs text-muted">{texts.cost(words.counts.credits(map.creditsUsed))}</p>
      {sections.length < 2 ? null : (
        <ul className="mt-3 flex flex-wrap gap-2" aria-label={texts.sections}>
          {sections.slice(0, SHOWN_SECTIONS).map(([section, rows]) => (
            <li key={section} dir="ltr" className="rounded-full bg-idle px-2 text-xs">
              {section} ({rows.length})
            </li>
          ))}
        </ul>
      )}
      <ul className="mt-3 text-xs text-muted" aria-label={texts.samples}>
        {map.data.slice(0, SHOWN_PAGES).map(({ url }) => (
          <li key={url} dir="ltr" className="anywhere">
            {url}
          </li>
        ))}
      </ul>
    </>
  );
}
