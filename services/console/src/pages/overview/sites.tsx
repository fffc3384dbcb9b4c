import { Link } from '@tanstack/react-router';
import type { ProjectSummary } from '@tidemark/sdk';
import { HealthBadge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SiteName } from '../../parts/site-name.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/frame.ts';

const MAX_SHOWN = 8;

/** The projects that ran last. */
export function Sites({ projects }: { projects: readonly ProjectSummary[] }) {
  const lately = [...projects].sort((one, other) => endOf(other).localeCompare(endOf(one))).slice(0, MAX_SHOWN);
  return (
    <Panel
      title={words.overview.sites}
      flush
      actions={
        <Link to="/projects" className="text-accent hover:underline">
          {words.overview.allSites}
        </Link>
      }
    >
      <ul>
        {lately.map(({ id, name, seed, health, lastRun }) => (
          <li key={id} className="border-t border-line first:border-t-0">
            <Link
              to="/projects/$project"
              params={{ project: id }}
              className="flex items-center gap-3 px-4 py-2 hover:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <SiteName name={name} seed={seed} />
              </span>
              <span className="text-end text-xs text-muted">
                <HealthBadge health={health} />
                <span className="block">
                  <Time at={lastRun?.finishedAt} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const endOf = ({ lastRun, createdAt }: ProjectSummary): string => lastRun?.finishedAt ?? createdAt;
