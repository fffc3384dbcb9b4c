import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const exitsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/exits',
  staticData: { crumb: words.nav.exits },
  component: lazyRouteComponent(() => import('./exits-page.tsx'), 'ExitsPage'),
});
