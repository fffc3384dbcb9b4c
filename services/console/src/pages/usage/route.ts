import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { oneOf } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { USAGE_TABS, type UsageTab } from './usage-tabs.ts';

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  staticData: { crumb: words.nav.usage },
  validateSearch: (search: Record<string, unknown>): { readonly by?: UsageTab | undefined } => ({
    by: oneOf(search, 'by', USAGE_TABS),
  }),
  component: lazyPage(() => import('./usage-page.tsx'), 'UsagePage'),
});
