import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { PAGE_TABS, type PageTab } from './page-tabs.ts';

interface PageSearch {
  readonly url?: string | undefined;
  readonly run?: string | undefined;
  readonly tab?: PageTab | undefined;
}

export const pageRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/page',
  staticData: { crumb: words.project.page },
  validateSearch: (search: Record<string, unknown>): PageSearch => ({
    url: textIn(search, 'url'),
    run: textIn(search, 'run'),
    tab: oneOf(search, 'tab', PAGE_TABS),
  }),
  component: lazyRouteComponent(() => import('./page-page.tsx'), 'PagePage'),
});
