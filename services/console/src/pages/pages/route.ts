import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
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
    said: textIn(search, 'said'),
  }),
  component: lazyPage(() => import('./pages-page.tsx'), 'PagesPage'),
});
