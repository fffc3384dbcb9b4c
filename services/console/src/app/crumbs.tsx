import { Link, useMatches, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ProjectName } from '../parts/project-name.tsx';
import { words } from '../words/frame.ts';

interface Crumb {
  readonly to: string;
  readonly content: ReactNode;
}

/** Returns the way from the workspace to the open page. */
function useCrumbs(): readonly Crumb[] {
  const matches = useMatches();
  const { project } = useParams({ strict: false });
  const inProject: readonly Crumb[] =
    project === undefined
      ? []
      : [
          { to: '/projects', content: words.nav.projects },
          { to: `/projects/${project}`, content: <ProjectName id={project} /> },
        ];
  const own = matches.flatMap(({ pathname, staticData: { crumb } }): Crumb[] =>
    crumb === undefined ? [] : [{ to: pathname, content: crumb }],
  );
  return [...inProject, ...own];
}

/** A narrow window has space for the page and the project above it; the page of a project is named by the project alone. */
const isHidden = (index: number, length: number): boolean => index < length - 2 || (length === 2 && index === 0);

/** The titles of the project and the page that are open, as links. */
export function Crumbs() {
  const crumbs = useCrumbs();
  return (
    <nav aria-label={words.breadcrumbs} className="min-w-0">
      <ol className="flex min-w-0 items-center gap-2 text-sm text-muted">
        {crumbs.map(({ to, content }, index) => (
          <li
            key={to}
            className={`items-center gap-2 ${isHidden(index, crumbs.length) ? 'hidden sm:flex' : 'flex'} ${index === crumbs.length - 1 ? 'max-w-full shrink-0' : 'min-w-0'}`}
          >
            {index === 0 ? null : (
              <span aria-hidden className={isHidden(index - 1, crumbs.length) ? 'max-sm:hidden' : ''}>
                /
              </span>
            )}
            {index === crumbs.length - 1 ? (
              <span aria-current="page" dir="auto" className="truncate text-ink">
                {content}
              </span>
            ) : (
              <Link to={to} activeOptions={{ exact: true }} dir="auto" className="truncate hover:text-ink">
                {content}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
