import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const monitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/monitor',
  staticData: { crumb: words.nav.monitor },
  component: lazyRouteComponent(() => import('./monitor-page.tsx'), 'MonitorPage'),
});
