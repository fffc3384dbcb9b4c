import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { crumb: words.nav.overview },
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});
