import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const childRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/children/$child',
  staticData: { crumb: words.crumbs.child },
  component: lazyRouteComponent(() => import('./child-page.tsx'), 'ChildPage'),
});
