import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { rootRoute } from '../../routing/root.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { HEALTHS, ORDERS, type ProjectView } from './projects-view.ts';

export const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects',
  staticData: { crumb: words.nav.projects },
  validateSearch: (search: Record<string, unknown>): ProjectView => ({
    q: textIn(search, 'q'),
    tag: textIn(search, 'tag'),
    health: oneOf(search, 'health', HEALTHS),
    sort: oneOf(search, 'sort', ORDERS),
  }),
  component: lazyPage(() => import('./projects-page.tsx'), 'ProjectsPage'),
});
