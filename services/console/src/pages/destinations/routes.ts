import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';

export const destinationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/destinations',
  staticData: { crumb: words.nav.destinations },
  component: lazyRouteComponent(() => import('./destinations-page.tsx'), 'DestinationsPage'),
});

/** What a new destination begins with. */
export interface NewDestinationView {
  readonly project?: string | undefined;
  readonly connection?: string | undefined;
}

export const newDestinationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/destinations/new',
  staticData: { crumb: words.crumbs.newDestination },
  validateSearch: (search: Record<string, unknown>): NewDestinationView => ({
    project: textIn(search, 'project'),
    connection: textIn(search, 'connection'),
  }),
  component: lazyRouteComponent(() => import('./new-destination-page.tsx'), 'NewDestinationPage'),
});

export const destinationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/destinations/$destination',
  staticData: { crumb: words.nav.destinations },
  component: lazyRouteComponent(() => import('./destination-page.tsx'), 'DestinationPage'),
});

export const newConnectionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/new',
  staticData: { crumb: words.crumbs.newConnection },
  validateSearch: (search: Record<string, unknown>): { readonly provider?: string | undefined } => ({
    provider: textIn(search, 'provider'),
  }),
  component: lazyRouteComponent(() => import('./new-connection-page.tsx'), 'NewConnectionPage'),
});

export const connectionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/$connection',
  staticData: { crumb: words.crumbs.connection },
  component: lazyRouteComponent(() => import('./connection-page.tsx'), 'ConnectionPage'),
});
