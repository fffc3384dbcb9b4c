import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/words.ts';

export const monitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/monitor',
  staticData: { crumb: words.monitor.title },
  component: lazyRouteComponent(() => import('./monitor-page.tsx'), 'MonitorPage'),
});
