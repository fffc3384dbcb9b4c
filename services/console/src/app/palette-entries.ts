import { useNavigate, useParams } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { signOut } from '../api/session.ts';
import { shortUrl } from '../parts/site-name.tsx';
import { words } from '../words/frame.ts';
import type { Entry } from './palette-matches.ts';
import { PROJECT_NAVIGATION } from './project-navigation.ts';
import { toggleTheme } from './theme.ts';
import { useNavigation } from './use-navigation.ts';

/** Returns the pages of the open project. */
function useProjectEntries(): readonly Entry[] {
  const navigate = useNavigate();
  const { project } = useParams({ strict: false });
  if (project === undefined) return [];
  return PROJECT_NAVIGATION.map(({ to, text }) => ({
    group: words.projectNav,
    text,
    detail: '',
    open: () => void navigate({ to, params: { project } }),
  }));
}

/** Returns what the palette opens: pages, actions and projects. */
export function useEntries(): readonly Entry[] {
  const navigate = useNavigate();
  const ofProject = useProjectEntries();
  const { data } = useRead('GET /projects', { query: { limit: 0 } });
  const pages = useNavigation()
    .flatMap(({ items }) => items)
    .map(
      ({ to, text }): Entry => ({ group: words.palette.pages, text, detail: '', open: () => void navigate({ to }) }),
    );
  const projects = (data?.data ?? []).map(
    ({ id, name, seed }): Entry => ({
      group: words.palette.projects,
      text: name ?? shortUrl(seed),
      detail: name === null ? '' : shortUrl(seed),
      open: () => void navigate({ to: '/projects/$project', params: { project: id } }),
    }),
  );
  const group = words.palette.actions;
  return [
    ...ofProject,
    ...pages,
    { group, text: words.palette.newProject, detail: '', open: () => void navigate({ to: '/projects/new' }) },
    { group, text: words.palette.theme, detail: '', open: toggleTheme },
    { group, text: words.nav.account, detail: '', open: () => void navigate({ to: '/account' }) },
    { group, text: words.palette.signOut, detail: '', open: () => void signOut() },
    ...projects,
  ];
}
