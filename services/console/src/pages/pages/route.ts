import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { type PagesView, SORTS } from './pages-view.ts';

export const pagesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/pages',
  staticData: { crumb: words.project.pages },
  validateSearch: (search: Record<string, unknown>): PagesView => ({
    q: textIn(search, 'q'),
    run: textIn(search, 'run'),
    sort: oneOf(search, 'sort', SORTS),
  }),
  component: lazyRouteComponent(() => import('./pages-page.tsx'), 'PagesPage'),
});
