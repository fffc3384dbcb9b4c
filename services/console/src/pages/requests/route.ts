import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { REQUEST_TABS, type RequestTab } from './request-tabs.ts';

interface RequestsSearch {
  readonly tab?: RequestTab | undefined;
  /** A request id, a status such as 4xx, a code or a route. */
  readonly q?: string | undefined;
}

export const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  staticData: { crumb: words.nav.requests },
  validateSearch: (search: Record<string, unknown>): RequestsSearch => ({
    tab: oneOf(search, 'tab', REQUEST_TABS),
    q: textIn(search, 'q'),
  }),
  component: lazyRouteComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
});
