import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useList, useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/frame.ts';
import { attentionOf } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { FirstSite } from './first-site.tsx';
import { RunningJobs } from './running-jobs.tsx';
import { Sites } from './sites.tsx';
import { UsageBars } from './usage-bars.tsx';
import { useUnreviewed } from './use-unreviewed.ts';

const { overview } = words;
/** Work in progress changes by itself, ms. */
const REFRESH_MS = 10_000;

/** What needs attention, what runs, and what was used. */
export function OverviewPage() {
  const canWrite = useCan('write');
  const projects = useRead('GET /projects', { query: { limit: 0 } }, { refetchInterval: REFRESH_MS });
  const channels = useList('GET /webhooks', { query: { limit: 1000 } });
  const me = useRead('GET /me', {});
  const unreviewed = useUnreviewed(projects.data?.data ?? []);
  return (
    <>
      <PageHead
        title={overview.title}
        actions={
          canWrite ? (
            <Link to="/projects/new" className={buttonClass('primary')}>
              <Plus aria-hidden size={16} />
              {overview.watch}
            </Link>
          ) : undefined
        }
      />
      <Loaded of={projects}>
        {({ data }) =>
          data.length === 0 ? (
            <FirstSite />
          ) : (
            <div className="grid gap-4 lg:grid-cols-3">
              <Panel title={overview.attention} flush className="lg:col-span-2">
                <AttentionList
                  items={attentionOf({
                    projects: data,
                    channels: channels.data?.pages.flatMap((page) => page.data) ?? [],
                    credits: me.data?.credits,
                    changes: unreviewed,
                  })}
                />
              </Panel>
              <RunningJobs />
              <UsageBars credits={me.data?.credits} />
              <Sites projects={data} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}
