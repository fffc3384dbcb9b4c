import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { oneOf } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { LINK_KINDS, type LinkKind } from './link-kinds.ts';

export const linksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/links',
  staticData: { crumb: words.project.links },
  validateSearch: (search: Record<string, unknown>): { readonly kind?: LinkKind | undefined } => ({
    kind: oneOf(search, 'kind', LINK_KINDS),
  }),
  component: lazyRouteComponent(() => import('./links-page.tsx'), 'LinksPage'),
});
