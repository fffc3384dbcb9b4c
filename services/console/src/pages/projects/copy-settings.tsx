import type { AppliedConfig, ProjectSummary } from '@tidemark/sdk';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, Select } from '../../parts/field.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';

const { copy: texts } = words.projects;
const GROUPS = ['scope', 'fetch', 'content', 'output', 'advanced'] as const;
type Group = (typeof GROUPS)[number];

const nameOf = ({ name, seed }: ProjectSummary): string => name ?? seed;

interface Props {
  readonly all: readonly ProjectSummary[];
  readonly chosen: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** A button that copies the settings of one project to the chosen ones. */
export function CopySettings({ all, chosen, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Copy aria-hidden size={16} />
        {texts.open}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={texts.title}>
        <CopyForm
          all={all}
          chosen={chosen}
          onDone={() => {
            setOpen(false);
            onDone();
          }}
        />
      </Dialog>
    </>
  );
}

/** Restores the settings that projects had before they were applied. */
async function restore(applied: AppliedConfig['data']): Promise<void> {
  for (const { id, configVersion } of applied)
    await client.call('POST /projects/{id}/config/versions/{version}/restore', {
      path: { id, version: String(configVersion - 1) },
    });
  await refresh('GET /projects', 'GET /projects/{id}', 'GET /projects/{id}/config/versions');
}

/** The project to copy from, which is the first that is not chosen, and the groups of settings. */
function CopyForm({ all, chosen, onDone }: Props) {
  const [source, setSource] = useState((all.find(({ id }) => !chosen.has(id)) ?? all[0])?.id ?? '');
  const [groups, setGroups] = useState<ReadonlySet<Group>>(new Set(GROUPS));
  const { send, isSending } = useWrite('POST /projects/{id}/config/apply', ['GET /projects', 'GET /projects/{id}']);
  const targets = [...chosen].filter((id) => id !== source);
  const toggle = (group: Group) =>
    setGroups((was) => (was.has(group) ? new Set([...was].filter((one) => one !== group)) : new Set([...was, group])));
  const apply = async () => {
    const body = { project_ids: targets, groups: GROUPS.filter((group) => groups.has(group)) };
    const { data } = await send({ path: { id: source }, body });
    const changed = data.filter((one) => one.changed);
    const text = texts.done(words.counts.projects(changed.length), words.counts.projects(data.length - changed.length));
    const undo = () => void act(() => restore(changed), texts.undone(words.counts.projects(changed.length)));
    notify(text, changed.length === 0 ? {} : { undo });
    onDone();
  };
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void act(apply);
      }}
    >
      <Select
        label={texts.from}
        value={source}
        onValue={setSource}
        choices={all.map((project) => ({ value: project.id, text: nameOf(project) }))}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-2">{texts.groups}</legend>
        {GROUPS.map((group) => (
          <CheckField
            key={group}
            label={words.settings.sections[group]}
            checked={groups.has(group)}
            onChange={() => toggle(group)}
          />
        ))}
      </fieldset>
      <p className="text-muted">{texts.hint}</p>
      <div className="flex justify-end">
        <Button type="submit" kind="primary" disabled={isSending || targets.length === 0 || groups.size === 0}>
          {texts.submit(words.counts.projects(targets.length))}
        </Button>
      </div>
    </form>
  );
}
