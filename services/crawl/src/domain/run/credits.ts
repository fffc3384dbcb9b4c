import type { Engine } from '@tidemark/catalogue';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';

/**
 * Returns the credits to lease for a page before it is fetched: `maxCredits` for the most expensive allowed engine, `minCredits` for the cheapest.
 * @returns `minCredits` Infinity where no engine may be used at all
 */
export function creditsFor(
  ladder: readonly Engine[],
  options: CaptureOptions,
  hasExits: boolean,
): { readonly maxCredits: number; readonly minCredits: number } {
  const { renderJs, useProxy, country, maxTier, maxCredits = Number.POSITIVE_INFINITY } = options;
  const { screenshot, actions, waitFor } = options;
  const needsBrowser =
    renderJs === 'always' || screenshot !== 'none' || actions.length > 0 || (waitFor !== undefined && waitFor.ms === 0);
  const mayRender = renderJs !== 'never' && maxTier === 'browser';
  const onlyExits = useProxy === 'always' || country !== undefined;
  const prices = ladder
    .filter(
      ({ tier, exit }) =>
        (tier === 'http' || mayRender) &&
        (tier === 'browser' || !needsBrowser) &&
        (exit ? hasExits && useProxy !== 'never' : !onlyExits),
    )
    .map(({ credits }) => credits);
  const affordable = prices.filter((credits) => credits <= maxCredits);
  return { maxCredits: Math.max(0, ...affordable), minCredits: Math.min(...prices) };
}
