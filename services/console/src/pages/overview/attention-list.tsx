import { Link } from '@tanstack/react-router';
import type { ProjectSummary } from '@tidemark/sdk';
import { CalendarX, Coins, GitCompareArrows, GlobeOff, WebhookOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { shortUrl } from '../../parts/site-name.tsx';
import { Empty } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/frame.ts';
import type { Attention } from './attention.ts';

const {
  overview,
  runStops: { advice, stops },
} = words;

function Item({
  icon,
  title,
  detail,
  project,
  isReview = false,
}: {
  icon: ReactNode;
  title: string;
  detail: string;
  project?: string;
  isReview?: boolean;
}) {
  const content = (
    <>
      <span className="mt-0.5 text-warn">{icon}</span>
      <span className="min-w-0">
        <span dir="auto" className="block truncate font-medium">
          {title}
        </span>
        <span className="anywhere block text-muted">{detail}</span>
      </span>
    </>
  );
  const className = 'flex gap-3 px-4 py-2.5';
  return (
    <li className="border-t border-line first:border-t-0">
      {project === undefined ? (
        <div className={className}>{content}</div>
      ) : (
        <Link
          to={isReview ? '/projects/$project/changes' : '/projects/$project'}
          params={{ project }}
          className={`${className} hover:bg-hover`}
        >
          {content}
        </Link>
      )}
    </li>
  );
}

/** Returns why runs of a project fail, and what to do. */
function failingText({ lastRun }: ProjectSummary): string {
  const stop = lastRun?.stop ?? null;
  if (lastRun === null || stop === null || stop === 'finished') return overview.failing;
  return `${overview.stopped(lastRun.error ?? stops[stop])}. ${advice[stop] ?? ''}`.trim();
}

function rowOf(item: Attention) {
  if (item.kind === 'credits')
    return (
      <Item
        key="credits"
        icon={<Coins aria-hidden size={16} />}
        title={overview.creditsLowTitle}
        detail={overview.creditsLow(number(item.left))}
      />
    );
  if (item.kind === 'webhook') {
    const { projectId, projectName, seed, kind, health } = item.channel;
    const detail = `${overview.webhookTitle} · ${projectName ?? shortUrl(seed)} · ${health.lastError ?? overview.webhookPaused(number(health.paused))}`;
    return (
      <Item
        key={`${projectId} ${kind}`}
        icon={<WebhookOff aria-hidden size={16} />}
        title={projectName ?? shortUrl(seed)}
        detail={detail}
        project={projectId}
      />
    );
  }
  const { id, name, seed } = item.project;
  if (item.kind === 'changes')
    return (
      <Item
        key={`${id} changes`}
        icon={<GitCompareArrows aria-hidden size={16} />}
        title={name ?? shortUrl(seed)}
        detail={overview.changes(`${words.counts.changes(item.open)}${item.isMore ? '+' : ''}`)}
        project={id}
        isReview
      />
    );
  const icon = item.kind === 'skipped' ? <CalendarX aria-hidden size={16} /> : <GlobeOff aria-hidden size={16} />;
  const text = item.kind === 'skipped' ? overview.skipped(item.why) : failingText(item.project);
  return <Item key={id} icon={icon} title={name ?? shortUrl(seed)} detail={text} project={id} />;
}

/** What needs attention, most urgent first. */
export function AttentionList({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return <Empty title={overview.nothing} hint={overview.nothingHint} />;
  return <ul>{items.map(rowOf)}</ul>;
}
