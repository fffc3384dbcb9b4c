import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { crumb: words.overview.title },
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});
