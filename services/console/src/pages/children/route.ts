import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const childrenRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/children',
  staticData: { crumb: words.nav.children },
  component: lazyPage(() => import('./children-page.tsx'), 'ChildrenPage'),
});
