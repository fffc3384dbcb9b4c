import type { Link } from '@tidemark/sdk';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';

const { page: texts } = words.pages;
const MAX_SHOWN = 1_000;

/** The links of a page, as text: none is opened by a click here. */
export function Links({ links }: { links: readonly Link[] }) {
  if (links.length === 0) return <Empty title={texts.noLinks} />;
  return (
    <PlainTable
      label={texts.tabs.links}
      titles={[texts.link.text, texts.link.target, texts.link.kind]}
      rows={links.slice(0, MAX_SHOWN)}
      keyOf={({ url }, index) => `${index} ${url}`}
      cells={({ text, url, kind }) => [text, url, kind]}
    />
  );
}
