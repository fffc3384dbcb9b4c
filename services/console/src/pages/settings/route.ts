import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/project.ts';
import { flagIn, oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { SECTIONS, type SettingsView } from './settings-view.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  staticData: { crumb: words.project.settings },
  validateSearch: (search: Record<string, unknown>): SettingsView => ({
    section: oneOf(search, 'section', SECTIONS),
    q: textIn(search, 'q'),
    set: flagIn(search, 'set'),
  }),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
});
