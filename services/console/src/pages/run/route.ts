import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { words } from '../../words/words.ts';

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/runs/$run',
  staticData: { crumb: words.runs.run.crumb },
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});
