/** The settings of a capture that decide which engine may read a page. */
export interface EngineSettings {
  /** auto, always, never. */
  readonly renderJs: string;
  /** http, browser. */
  readonly maxTier: string;
  /** none, viewport, full. */
  readonly screenshot: string;
  readonly actions: readonly unknown[];
  /** `ms` 0: waits for a selector or for an idle network. */
  readonly waitFor?: { readonly ms: number } | undefined;
}

/**
 * Returns the only engine that can fulfil the settings; undefined: the engine is chosen per page. `browser` where a script,
 * a screenshot, an action or a condition of the page is requested, even if `maxTier` then refuses the page.
 */
export function requiredEngine(settings: EngineSettings): 'http' | 'browser' | undefined {
  const { renderJs, maxTier, screenshot, actions, waitFor } = settings;
  if (renderJs === 'always' || screenshot !== 'none' || actions.length > 0 || waitFor?.ms === 0) return 'browser';
  return renderJs === 'never' || maxTier === 'http' ? 'http' : undefined;
}
