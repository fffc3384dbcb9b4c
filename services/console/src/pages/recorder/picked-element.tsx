import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';
import type { Picked } from './recorder-state.ts';

const { recorder: texts } = words;

interface Props {
  readonly project: string;
  readonly picked: Picked;
}

/** The element that was picked on the live page: its selector, its text, and the elements like it. */
export function PickedElement({ project, picked }: Props) {
  if (picked === null)
    return (
      <Panel title={texts.picked}>
        <p role="status" className="text-muted">
          {texts.pickedNone}
        </p>
      </Panel>
    );
  const { selector, text, similar } = picked;
  return (
    <Panel title={texts.picked}>
      <div role="status" className="grid gap-3">
        {text === '' ? null : (
          <p dir="auto" className="anywhere line-clamp-4">
            {text}
          </p>
        )}
        <Found project={project} selector={selector} />
        {similar === null ? null : (
          <div className="grid gap-1">
            <p className="text-xs text-muted">{texts.similar(words.counts.elements(similar.count))}</p>
            <Found project={project} selector={similar.selector} />
          </div>
        )}
      </div>
    </Panel>
  );
}

function Found({ project, selector }: { project: string; selector: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <code dir="ltr" className="anywhere min-w-0 flex-1 text-xs">
        {selector}
      </code>
      <CopyButton text={selector} />
      <Link to="/projects/$project/picker" params={{ project }} search={{ selector }} className={buttonClass()}>
        {texts.pickerLink}
      </Link>
    </div>
  );
}
