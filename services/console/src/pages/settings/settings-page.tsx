import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Project } from '@tidemark/sdk';
import { useState } from 'react';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import {
  type Edits,
  patchOf,
  resetText,
  type Setting,
  searched,
  storedText,
  withEdit,
} from '../../parts/settings/draft.ts';
import { SettingField } from '../../parts/settings/setting-field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { words } from '../../words/words.ts';
import { DeleteProject } from './delete-project.tsx';
import { Effect } from './effect.tsx';
import { History } from './history.tsx';
import { SECTIONS, type SettingsView } from './settings-view.ts';
import { useSave } from './use-save.ts';
import { FROM, useSettings } from './use-settings.ts';

const { settings: texts } = words;

/** All settings of a project, generated from the catalogue of the API, and their history. */
export function SettingsPage() {
  const settings = useSettings();
  return (
    <>
      <PageHead title={texts.title} />
      <Loaded of={settings}>{({ project, settings: all }) => <Form project={project} all={all} />}</Loaded>
    </>
  );
}

const differs = (setting: Setting): boolean => storedText(setting) !== resetText(setting);

/** Returns the settings of the open address: a search covers all sections. */
function shownSettings(all: readonly Setting[], { section = 'general', q, set }: SettingsView): readonly Setting[] {
  const found = q === undefined ? all.filter(({ group }) => group === section) : searched(all, q);
  return set === true ? found.filter(differs) : found;
}

function Form({ project, all }: { project: Project; all: readonly Setting[] }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [edits, setEdits] = useState<Edits>({});
  const [isPreviewed, setPreviewed] = useState(false);
  const canWrite = useCan('write');
  const { save, messages, clear } = useSave();
  const patch = patchOf(all, edits);
  const submit = async () => {
    const kept = edits;
    setEdits({});
    if (await save(project, patch)) setPreviewed(false);
    else setEdits(kept);
  };
  const discard = () => {
    setEdits({});
    setPreviewed(false);
    clear();
  };
  const section = view.section ?? 'general';
  return (
    <>
      <Tabs
        label={texts.section}
        tabs={SECTIONS.map((key) => ({ key, text: texts.sections[key] }))}
        current={section}
        onChoose={(key) => void navigate({ search: { ...view, section: key, q: undefined }, replace: true })}
      >
        {section === 'history' && view.q === undefined ? (
          <Panel flush>
            <History canWrite={canWrite} />
          </Panel>
        ) : (
          <>
            <Filters />
            <Panel>
              {canWrite ? null : <p className="mb-4 text-muted">{texts.readOnly}</p>}
              <Fields
                settings={shownSettings(all, view)}
                edits={edits}
                messages={messages}
                canWrite={canWrite}
                onText={(setting, text) => setEdits((was) => withEdit(was, setting, text))}
              />
            </Panel>
            {section === 'general' && view.q === undefined ? <DeleteProject project={project} /> : null}
          </>
        )}
      </Tabs>
      {isPreviewed && Object.keys(edits).length > 0 ? <Preview all={all} config={patch.config} /> : null}
      <SaveBar
        edits={Object.keys(edits).length}
        isValid={Object.keys(patch.problems).length === 0}
        preview={() => setPreviewed(true)}
        discard={discard}
        save={() => void submit()}
      />
    </>
  );
}

function Preview({ all, config }: { all: readonly Setting[]; config: Readonly<Record<string, unknown>> }) {
  const groups = new Set(all.filter(({ key }) => key in config).map(({ group }) => group));
  return (
    <Panel title={texts.effect.title} className="mt-4">
      <Effect config={config} groups={groups} />
    </Panel>
  );
}

function Filters() {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const change = (next: SettingsView) => void navigate({ search: { ...view, ...next }, replace: true });
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-2">
      <div className="w-64 max-w-full">
        <TextField
          label={texts.search}
          hideLabel
          type="search"
          placeholder={texts.search}
          value={view.q ?? ''}
          onChange={(event) => change({ q: event.target.value === '' ? undefined : event.target.value })}
        />
      </div>
      <CheckField
        label={texts.onlySet}
        checked={view.set ?? false}
        onChange={(event) => change({ set: event.target.checked ? true : undefined })}
      />
    </div>
  );
}

interface FieldsProps {
  readonly settings: readonly Setting[];
  readonly edits: Edits;
  readonly messages: Readonly<Record<string, string>>;
  readonly canWrite: boolean;
  readonly onText: (setting: Setting, text: string) => void;
}

function Fields({ settings, edits, messages, canWrite, onText }: FieldsProps) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  if (settings.length === 0)
    return (
      <Empty title={texts.none} hint={texts.noneHint}>
        <Button onClick={() => void navigate({ search: { section: view.section } })}>{texts.showAll}</Button>
      </Empty>
    );
  return settings.map((setting) => (
    <SettingField
      key={setting.key}
      setting={setting}
      edits={edits}
      onText={onText}
      message={messages[setting.key]}
      canWrite={canWrite}
    />
  ));
}

interface BarProps {
  readonly edits: number;
  readonly isValid: boolean;
  readonly preview: () => void;
  readonly discard: () => void;
  readonly save: () => void;
}

/** What can be done with unsaved settings; it stays in view. */
function SaveBar({ edits, isValid, preview, discard, save }: BarProps) {
  if (edits === 0) return null;
  return (
    <div className="sticky bottom-0 z-10 mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface p-3 shadow-lg">
      <p role="status" className="me-auto">
        {texts.edits(words.counts.changes(edits))}
      </p>
      <Button kind="quiet" onClick={discard}>
        {texts.discard}
      </Button>
      <Button onClick={preview} disabled={!isValid}>
        {texts.preview}
      </Button>
      <Button kind="primary" onClick={save} disabled={!isValid}>
        {texts.save}
      </Button>
    </div>
  );
}
