import { useQuery } from '@tanstack/react-query';
import type { DryRun } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { money } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Engine, type PagePrice, pagePrice } from './page-price.ts';

const { price: texts } = words.settings;
type Cost = DryRun['estimatedCost'];
type Config = Readonly<Record<string, unknown>>;

/** Returns how credits would be paid for, as a sentence without its full stop; undefined where nothing is billed. */
export function paidFor(cost: Cost): string | undefined {
  if (cost === null) return undefined;
  const { overage, uncovered, amountMinor, currency } = cost;
  if (uncovered > 0) return texts.uncovered(words.counts.credits(uncovered));
  if (currency === null) return undefined;
  if (overage === 0) return texts.included;
  const beyond = words.counts.credits(overage);
  return amountMinor === 0 ? texts.beyondFree(beyond) : texts.beyond(beyond, money(amountMinor, currency));
}

/** Returns the ways to read a page with their prices, and whether the installation has exits; undefined until they are read. */
export function useEngines(): { readonly ladder: readonly Engine[]; readonly hasExits: boolean } | undefined {
  const meta = useRead('GET /meta', {});
  const exits = useRead('GET /me/proxies', {});
  if (meta.data === undefined || (exits.data === undefined && exits.error === null)) return undefined;
  return { ladder: meta.data.ladder, hasExits: (exits.data?.data.length ?? 0) > 0 };
}

export const pagePriceText = ({ min, max }: PagePrice): string =>
  texts.page(words.counts.credits(min), words.counts.credits(max));

/** Estimates a run of a project with its saved settings and unsaved changes. Nothing is fetched or charged. */
export const useRunEstimate = (project: string, config: Config, isEnabled = true) =>
  useQuery({
    queryKey: ['POST /projects/{id}/dry-run', { id: project }, config],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      client.send('POST /projects/{id}/dry-run', {
        path: { id: project },
        body: Object.keys(config).length === 0 ? {} : { config },
        signal,
      }),
  });

const DEFAULT_PAGES = 1_000;

/** What a run of a project costs, before it is started. */
export function RunPrice({ project, config }: { project: string; config: Config }) {
  const { data } = useRunEstimate(project, {});
  const engines = useEngines();
  if (data === undefined) return null;
  if (data.runId === null) {
    const each = engines && pagePrice(engines.ladder, config, engines.hasExits);
    if (each === undefined) return null;
    const pages = Number(config['max_pages'] ?? DEFAULT_PAGES);
    return (
      <span className="text-xs text-muted">
        {texts.most(words.counts.credits(pages * each.max))}, {pagePriceText(each)}
      </span>
    );
  }
  const paid = paidFor(data.estimatedCost);
  return (
    <span className="text-xs text-muted">
      {texts.run(words.counts.credits(data.estimatedCredits))}
      {paid === undefined ? '' : `; ${paid}`}
    </span>
  );
}
