import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  staticData: { crumb: words.nav.keys },
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});
