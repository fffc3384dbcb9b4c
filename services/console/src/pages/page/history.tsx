import { Link } from '@tanstack/react-router';
import type { StoredPage } from '@tidemark/sdk';
import { PlainTable } from '../../parts/plain-table.tsx';
import { moment, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { page: texts } = words.pages;
const { versions: titles } = texts;

/** The readings of a page, newest first, with the shown one. */
export function History({ project, page }: { project: string; page: StoredPage }) {
  const { runId, crawledAt, verdict, httpStatus, words: length, url } = page;
  const own = { runId, crawledAt, verdict, httpStatus, words: length, same: false };
  const all = [own, ...page.versions].sort((one, other) => other.crawledAt.localeCompare(one.crawledAt));
  return (
    <PlainTable
      label={texts.tabs.history}
      titles={[titles.run, titles.verdict, titles.status, titles.words]}
      rows={all}
      keyOf={(version) => version.runId}
      cells={(version) => [
        version.runId === runId ? (
          <strong key="read">{moment(version.crawledAt)}</strong>
        ) : (
          <Link
            key="read"
            to="/projects/$project/page"
            params={{ project }}
            search={{ url, run: version.runId }}
            className="text-accent underline"
          >
            {moment(version.crawledAt)}
          </Link>
        ),
        version.verdict,
        version.httpStatus ?? '',
        `${number(version.words)}${version.same ? ` · ${titles.same}` : ''}`,
      ]}
    />
  );
}
