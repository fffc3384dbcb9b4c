import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../routing/lazy-page.ts';
import { projectRoute } from '../../routing/project.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { LINK_KINDS, type LinksView } from './link-kinds.ts';

export const linksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/links',
  staticData: { crumb: words.project.links },
  validateSearch: (search: Record<string, unknown>): LinksView => ({
    kind: oneOf(search, 'kind', LINK_KINDS),
    run: textIn(search, 'run'),
  }),
  component: lazyPage(() => import('./links-page.tsx'), 'LinksPage'),
});
