import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useBilling } from '../../api/billing.ts';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { isSample } from '../../parts/sample-project.ts';
import { Loaded, Loading } from '../../parts/states.tsx';
import { words } from '../../words/frame.ts';
import { attentionOf } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { RunningJobs } from './running-jobs.tsx';
import { Sites } from './sites.tsx';
import { UsageBars } from './usage-bars.tsx';
import { useUnreviewed } from './use-unreviewed.ts';

const { overview } = words;
/** Work in progress changes by itself, ms. */
const REFRESH_MS = 10_000;

/** Shown to a new owner only, and the only part of the overview with a field. */
const FirstSite = lazy(async () => ({ default: (await import('./first-site.tsx')).FirstSite }));

/** What needs attention, what runs, and what was used. */
export function OverviewPage() {
  const canWrite = useCan('write');
  const projects = useRead('GET /projects', { query: { limit: 0 } }, { refetchInterval: REFRESH_MS });
  const channels = useRead('GET /webhooks', { query: { limit: 1000 } });
  const billing = useBilling();
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
        {({ data }) => (
          <>
            {data.every(isSample) ? (
              <Suspense fallback={<div className="h-48" />}>
                <FirstSite sample={data[0]?.id} />
              </Suspense>
            ) : null}
            {data.length === 0 ? null : (
              <div className="grid gap-4 lg:grid-cols-3">
                <Panel title={overview.attention} flush className="lg:col-span-2 lg:min-h-56">
                  {unreviewed === undefined || channels.isPending ? (
                    <Loading rows={2} />
                  ) : (
                    <AttentionList
                      items={attentionOf({
                        projects: data,
                        channels: channels.data?.data ?? [],
                        credits: billing?.credits,
                        changes: unreviewed,
                      })}
                    />
                  )}
                </Panel>
                <RunningJobs />
                <UsageBars />
                <Sites projects={data} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
