import { Link, useParams } from '@tanstack/react-router';
import { FileCode2 } from 'lucide-react';
import { useRead } from '../api/queries.ts';
import { Mark } from '../parts/mark.tsx';
import { shortUrl } from '../parts/site-name.tsx';
import { words } from '../words/frame.ts';
import { PROJECT_NAVIGATION } from './project-navigation.ts';
import { useNavigation } from './use-navigation.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

const ITEM =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-selected data-[status=active]:font-medium data-[status=active]:text-ink [&[data-status=active]>svg]:text-accent';
const TITLE = 'mt-4 mb-1 px-2 text-xs font-medium text-muted';

const PROJECT_GROUPS = Object.entries(Object.groupBy(PROJECT_NAVIGATION, ({ group }) => group));

/** The open project: its name, its URL, its pages. */
function ProjectLinks({ project: id }: { project: string }) {
  const { data, isError } = useRead('GET /projects/{id}', { path: { id } });
  if (isError && data === undefined) return <WorkspaceLinks />;
  const url = data === undefined ? '' : shortUrl(data.seed);
  return (
    <>
      <p className="mt-3 min-h-11 border-t border-line px-2 pt-3">
        <span dir="auto" className="block truncate font-semibold" title={data?.name ?? url}>
          {data?.name ?? url}
        </span>
        <span dir="ltr" className="block truncate text-xs text-muted" title={url}>
          {data?.name == null ? '' : url}
        </span>
      </p>
      <nav aria-label={words.projectNav}>
        {PROJECT_GROUPS.map(([title, items = []]) => (
          <div key={title}>
            <p className={TITLE}>{title}</p>
            <ul>
              {items.map(({ to, text, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ project: id }}
                    activeOptions={{ exact: to === '/projects/$project', includeSearch: false }}
                    className={ITEM}
                  >
                    <Icon aria-hidden size={16} />
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}

/** The pages of the workspace that are used most, one row of icons: the level above a project. */
function UpLinks() {
  const [first] = useNavigation();
  if (first === undefined) return null;
  return (
    <nav aria-label={words.upNav}>
      <ul className="mt-2 flex gap-1">
        {first.items.map(({ to, text, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              aria-label={text}
              title={text}
              className="grid size-9 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
            >
              <Icon aria-hidden size={18} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The pages of the workspace. */
function WorkspaceLinks() {
  const navigation = useNavigation();
  return (
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
  );
}

/** The column at the start of the window. It has two levels: the pages of the workspace, and those of the open project. */
export function Sidebar() {
  const { project } = useParams({ strict: false });
  return (
    <div className="flex h-full flex-col overflow-y-auto bg-sunken p-3">
      <Link to="/" className="mb-3 flex items-center gap-2 px-1 text-base font-semibold tracking-tight">
        <Mark />
        {words.product}
      </Link>
      <WorkspaceSwitcher />
      {project === undefined ? (
        <WorkspaceLinks />
      ) : (
        <>
          <UpLinks />
          <ProjectLinks project={project} />
        </>
      )}
      <div className="mt-auto pt-4">
        <a href="/v1/docs" className={ITEM}>
          <FileCode2 aria-hidden size={16} />
          {words.nav.docs}
        </a>
      </div>
    </div>
  );
}
