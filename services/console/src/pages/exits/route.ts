import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const exitsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/exits',
  staticData: { crumb: words.exits.title },
  component: lazyRouteComponent(() => import('./exits-page.tsx'), 'ExitsPage'),
});
