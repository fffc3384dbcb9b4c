import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { words } from '../../words/frame.ts';

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/runs/$run',
  staticData: { crumb: words.project.run },
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});
