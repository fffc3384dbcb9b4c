import { Link, useParams } from '@tanstack/react-router';
import { FileCode2 } from 'lucide-react';
import { ProjectName } from '../parts/project-name.tsx';
import { words } from '../words/frame.ts';
import { PROJECT_NAVIGATION } from './project-navigation.ts';
import { useNavigation } from './use-navigation.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-accent';
const TITLE = 'mt-4 mb-1 px-2 text-xs font-semibold text-muted';

function ProjectLinks({ project }: { project: string }) {
  return (
    <nav aria-label={words.projectNav}>
      <p dir="auto" className={`${TITLE} truncate`}>
        <ProjectName id={project} />
      </p>
      <ul>
        {PROJECT_NAVIGATION.map(({ to, text, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ project }}
              activeOptions={{ exact: to === '/projects/$project', includeSearch: false }}
              className={ITEM}
            >
              <Icon aria-hidden size={16} />
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The column at the start of the window: workspace, pages of the open project, pages of the workspace. */
export function Sidebar() {
  const { project } = useParams({ strict: false });
  const navigation = useNavigation();
  return (
    <div className="flex h-full flex-col overflow-y-auto p-3">
      <Link to="/" className="mb-3 flex items-center gap-2 px-2 text-base font-semibold">
        <svg aria-hidden viewBox="0 0 24 24" fill="none" className="size-6 text-accent">
          <path
            d="M3 14c3-4.500 6-4.500 9 0s6 4.500 9 0"
            stroke="currentColor"
            strokeWidth="2.400"
            strokeLinecap="round"
          />
        </svg>
        {words.product}
      </Link>
      <WorkspaceSwitcher />
      {project === undefined ? null : <ProjectLinks project={project} />}
      <nav aria-label={words.mainNav}>
        {navigation.map(({ title, items }) => (
          <div key={title}>
            <p className={TITLE}>{title}</p>
            <ul>
              {items.map(({ to, text, icon: Icon }) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={ITEM}>
                    <Icon aria-hidden size={16} />
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="mt-auto pt-4">
        <a href="/v1/docs" className={ITEM}>
          <FileCode2 aria-hidden size={16} />
          {words.nav.docs}
        </a>
      </div>
    </div>
  );
}
