import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';

export const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  component: lazyPage(() => import('./runs-page.tsx'), 'RunsPage'),
});
