import { Link } from '@tanstack/react-router';
import type { Monitor } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { Panel } from '../../parts/panel.tsx';
import { Progress } from '../../parts/progress.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/frame.ts';

const REFRESH_MS = 3_000;
const MAX_SHOWN = 6;

function Job({ job: { id, url, projectId, kind, done, total } }: { job: Monitor['jobs'][number] }) {
  const name = <span className="block truncate">{shortUrl(url)}</span>;
  return (
    <li className="border-t border-line px-4 py-2.5 first:border-t-0">
      {projectId === null ? (
        name
      ) : (
        <Link to="/projects/$project/runs/$run" params={{ project: projectId, run: id }} className="hover:underline">
          {name}
        </Link>
      )}
      <Progress label={`${kind} ${shortUrl(url)}`} done={done} total={total} />
    </li>
  );
}

/** Jobs in progress. */
export function RunningJobs() {
  const monitor = useRead('GET /me/monitor', {}, { refetchInterval: REFRESH_MS });
  return (
    <Panel title={words.overview.running} flush>
      <Loaded of={monitor} rows={2}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <p className="px-4 py-2.5 text-muted">{words.overview.idle}</p>
          ) : (
            <ul>
              {jobs.slice(0, MAX_SHOWN).map((job) => (
                <Job key={job.id} job={job} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
