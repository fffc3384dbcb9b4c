import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { crumb: words.nav.overview },
  component: lazyPage(() => import('./overview-page.tsx'), 'OverviewPage'),
});
