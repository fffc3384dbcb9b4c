import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const childRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/children/$child',
  staticData: { crumb: words.crumbs.child },
  component: lazyPage(() => import('./child-page.tsx'), 'ChildPage'),
});
