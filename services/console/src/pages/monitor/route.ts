import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { words } from '../../words/frame.ts';

export const monitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/monitor',
  staticData: { crumb: words.nav.monitor },
  component: lazyPage(() => import('./monitor-page.tsx'), 'MonitorPage'),
});
