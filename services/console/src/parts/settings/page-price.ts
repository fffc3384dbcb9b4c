/** One way to read a page, with its price. */
export interface Engine {
  readonly tier: string;
  readonly exit: boolean;
  readonly credits: number;
}

/** Credits of a page: with the cheapest way to read it that the settings allow, and with the most expensive one. */
export interface PagePrice {
  readonly min: number;
  readonly max: number;
}

type Config = Readonly<Record<string, unknown>>;

/** Settings that decide what a page costs. */
export const PRICED_SETTINGS = [
  'render_js',
  'max_tier',
  'use_proxy',
  'country',
  'max_credits_per_page',
  'wait_for',
  'actions',
  'screenshot',
] as const;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Whether only a browser can read pages with these settings. */
function needsBrowser({ render_js: renderJs, screenshot, actions, wait_for: waitFor }: Config): boolean {
  return (
    renderJs === 'always' ||
    (isSet(screenshot) && screenshot !== 'none') ||
    (Array.isArray(actions) && actions.length > 0) ||
    (typeof waitFor === 'string' && waitFor !== '')
  );
}

/** Returns the price of a page with the settings of a project, as the server charges it; undefined if no way to read a page is left. */
export function pagePrice(ladder: readonly Engine[], config: Config, hasExits: boolean): PagePrice | undefined {
  const { use_proxy: useProxy, max_credits_per_page: cap } = config;
  const mayRender = config['render_js'] !== 'never' && config['max_tier'] !== 'http';
  const onlyExits = useProxy === 'always' || isSet(config['country']);
  const prices = ladder
    .filter(
      ({ tier, exit }) =>
        (tier === 'http' || mayRender) &&
        (tier === 'browser' || !needsBrowser(config)) &&
        (exit ? hasExits && useProxy !== 'never' : !onlyExits),
    )
    .map(({ credits }) => credits)
    .filter((credits) => typeof cap !== 'number' || credits <= cap);
  return prices.length === 0 ? undefined : { min: Math.min(...prices), max: Math.max(...prices) };
}

/** Returns the settings whose value raises the lowest price of a page, each with the price that it causes alone. */
export function raisedPrices(
  ladder: readonly Engine[],
  config: Config,
  hasExits: boolean,
): ReadonlyMap<string, PagePrice> {
  const base = pagePrice(ladder, {}, hasExits);
  const raised = new Map<string, PagePrice>();
  for (const key of PRICED_SETTINGS) {
    const own = pagePrice(ladder, { [key]: config[key] }, hasExits);
    if (base !== undefined && own !== undefined && own.min > base.min) raised.set(key, own);
  }
  return raised;
}
