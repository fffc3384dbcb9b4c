import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const childrenRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/children',
  staticData: { crumb: words.nav.children },
  component: lazyRouteComponent(() => import('./children-page.tsx'), 'ChildrenPage'),
});
