import { Link, useParams } from '@tanstack/react-router';
import { words } from '../words/words.ts';
import { buttonClass } from './button.tsx';
import { Empty } from './states.tsx';

const { neverStored: texts } = words.pages;

/** Content that is missing because no setting keeps it, with the way to that setting. */
export function NeverStored({ what }: { what: 'html' | 'markup' | 'screenshot' }) {
  const { project } = useParams({ strict: false });
  const { title, hint, setting } = texts[what];
  return (
    <Empty title={title} hint={hint}>
      {project === undefined ? null : (
        <Link
          to="/projects/$project/settings"
          params={{ project }}
          search={{ section: 'output', q: setting }}
          className={buttonClass()}
        >
          {texts.open}
        </Link>
      )}
    </Empty>
  );
}
