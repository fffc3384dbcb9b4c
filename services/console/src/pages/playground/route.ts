import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { flagIn, oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { LANGUAGES, optionsIn, type PlaygroundView, RESULT_TABS } from './playground-view.ts';

export const playgroundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/playground',
  staticData: { crumb: words.nav.playground },
  validateSearch: (search: Record<string, unknown>): PlaygroundView => ({
    url: textIn(search, 'url'),
    plain: flagIn(search, 'plain'),
    exit: flagIn(search, 'exit'),
    options: optionsIn(search['options']),
    job: textIn(search, 'job'),
    tab: oneOf(search, 'tab', RESULT_TABS),
    code: oneOf(search, 'code', LANGUAGES),
  }),
  component: lazyRouteComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
