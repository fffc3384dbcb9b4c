import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { words } from '../../words/frame.ts';
import { sourcesView } from './sources-view.ts';

export const sourcesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/sources',
  staticData: { crumb: words.project.sources },
  validateSearch: sourcesView,
  component: lazyRouteComponent(() => import('./sources-page.tsx'), 'SourcesPage'),
});
