import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';
import { words } from '../../words/frame.ts';

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/runs/$run',
  staticData: { crumb: words.project.run },
  component: lazyPage(() => import('./run-page.tsx'), 'RunPage'),
});
