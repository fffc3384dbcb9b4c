import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Project } from '@tidemark/sdk';
import { useEffect, useState } from 'react';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { LeaveQuestion } from '../../parts/leave-question.tsx';
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
import { keepDraft, keptDraft } from '../../parts/settings/kept-draft.ts';
import { pagePrice, raisedPrices } from '../../parts/settings/page-price.ts';
import { useEngines, useRunEstimate } from '../../parts/settings/run-price.tsx';
import { SettingField } from '../../parts/settings/setting-field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { words } from '../../words/words.ts';
import { DeleteProject } from './delete-project.tsx';
import { Effect } from './effect.tsx';
import { History } from './history.tsx';
import { RunOutlook } from './run-outlook.tsx';
import { SECTIONS, type Section, type SettingsView } from './settings-view.ts';
import { useSave } from './use-save.ts';
import { FROM, useSettings } from './use-settings.ts';

const { settings: texts } = words;
type Config = Readonly<Record<string, unknown>>;

/** All settings of a project, generated from the catalogue of the API, and their history. */
export function SettingsPage() {
  const { project: id } = useParams({ from: FROM });
  const settings = useSettings();
  return (
    <>
      <PageHead title={texts.title} />
      <Loaded of={settings}>{({ project, settings: all }) => <Form key={id} project={project} all={all} />}</Loaded>
    </>
  );
}

const differs = (setting: Setting): boolean => storedText(setting) !== resetText(setting);

/** Returns the settings of the open URL: a search covers all sections. */
function shownSettings(all: readonly Setting[], { section = 'general', q, set }: SettingsView): readonly Setting[] {
  const found = q === undefined ? all.filter(({ group }) => group === section) : searched(all, q);
  return set === true ? found.filter(differs) : found;
}

/** Returns the edits of this tab; they outlive the page and its reload. */
function useKeptEdits(project: string) {
  const [edits, setEdits] = useState(() => keptDraft(project));
  useEffect(() => keepDraft(project, edits), [project, edits]);
  return [edits, setEdits] as const;
}

/** Returns the number of errors of each section. */
function errorsOf(all: readonly Setting[], faults: Readonly<Record<string, unknown>>): ReadonlyMap<Section, number> {
  const counts = new Map<Section, number>();
  for (const { key, group } of all) if (key in faults) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

/** Moves the focus to the control of a setting once it is shown. */
const focusSetting = (key: string): void => {
  requestAnimationFrame(() => {
    const control = document.querySelector<HTMLElement>(
      `[data-setting="${CSS.escape(key)}"] :is(input, select, textarea, button)`,
    );
    control?.focus();
  });
};

function Form({ project, all }: { project: Project; all: readonly Setting[] }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [edits, setEdits] = useKeptEdits(project.id);
  const [isPreviewed, setPreviewed] = useState(false);
  const canWrite = useCan('write');
  const { save, messages, clear } = useSave();
  const patch = patchOf(all, edits);
  const faults = { ...messages, ...patch.problems };
  const errors = errorsOf(all, faults);
  const section = view.section ?? 'general';
  const show = (key: Section) => navigate({ search: { ...view, section: key, q: undefined }, replace: true });
  const submit = async () => {
    const kept = edits;
    setEdits({});
    const refused = await save(project, patch);
    if (refused === undefined) return setPreviewed(false);
    setEdits(kept);
    const first = all.find(({ key }) => refused.includes(key));
    if (first === undefined) return;
    await show(first.group);
    focusSetting(first.key);
  };
  const discard = () => {
    setEdits({});
    setPreviewed(false);
    clear();
  };
  const count = Object.keys(edits).length;
  const config = { ...project.config, ...patch.config };
  const timezone = edits['timezone'] ?? project.timezone;
  return (
    <>
      <LeaveQuestion
        isNeeded={count > 0}
        onDiscard={() => {
          discard();
          keepDraft(project.id, {});
        }}
      />
      <Tabs
        label={texts.section}
        tabs={SECTIONS.map((key) => ({
          key,
          text: texts.sections[key],
          mark: errors.has(key) ? words.counts.errors(errors.get(key) ?? 0) : undefined,
        }))}
        current={section}
        onChoose={(key) => void show(key)}
      >
        {section === 'history' && view.q === undefined ? (
          <Panel flush>
            <History canWrite={canWrite} />
          </Panel>
        ) : (
          <>
            <Filters />
            <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_17rem]">
              <Panel>
                {canWrite ? null : <p className="mb-4 text-muted">{texts.readOnly}</p>}
                <Fields
                  settings={shownSettings(all, view)}
                  edits={edits}
                  messages={messages}
                  canWrite={canWrite}
                  config={config}
                  timezone={timezone}
                  onText={(setting, text) => setEdits((was) => withEdit(was, setting, text))}
                />
              </Panel>
              <RunOutlook
                project={project}
                config={patch.config}
                schedule={edits['schedule'] ?? project.schedule}
                timezone={timezone}
              />
            </div>
            {section === 'general' && view.q === undefined ? <DeleteProject project={project} /> : null}
          </>
        )}
      </Tabs>
      {isPreviewed && count > 0 ? <Preview all={all} config={patch.config} /> : null}
      {count === 0 ? null : (
        <SaveBar
          project={project}
          changed={patch.config}
          edits={count}
          isValid={Object.keys(patch.problems).length === 0}
          preview={() => setPreviewed(true)}
          discard={discard}
          save={() => void submit()}
        />
      )}
    </>
  );
}

function Preview({ all, config }: { all: readonly Setting[]; config: Config }) {
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
  /** With the unsaved changes. */
  readonly config: Config;
  readonly timezone: string;
  readonly onText: (setting: Setting, text: string) => void;
}

function Fields({ settings, edits, messages, canWrite, config, timezone, onText }: FieldsProps) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const engines = useEngines();
  if (settings.length === 0)
    return (
      <Empty title={texts.none} hint={texts.noneHint}>
        <Button onClick={() => void navigate({ search: { section: view.section } })}>{texts.showAll}</Button>
      </Empty>
    );
  const raised = engines && raisedPrices(engines.ladder, config, engines.hasExits);
  return settings.map((setting) => (
    <SettingField
      key={setting.key}
      setting={setting}
      edits={edits}
      onText={onText}
      message={messages[setting.key]}
      canWrite={canWrite}
      raisedTo={raised?.get(setting.key)?.min}
      timezone={timezone}
    />
  ));
}

interface BarProps {
  readonly project: Project;
  readonly changed: Config;
  readonly edits: number;
  readonly isValid: boolean;
  readonly preview: () => void;
  readonly discard: () => void;
  readonly save: () => void;
}

/** What can be done with unsaved settings, and what a run then costs; it stays in view. */
function SaveBar({ project, changed, edits, isValid, preview, discard, save }: BarProps) {
  return (
    <div className="sticky bottom-0 z-10 mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface p-3 shadow-lg">
      <p role="status" className="me-auto">
        {texts.edits(words.counts.changes(edits))}
        {isValid ? <PriceChange project={project} changed={changed} /> : null}
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

/** What a run costs with the unsaved settings, where it costs another amount than before. */
function PriceChange({ project, changed }: { project: Project; changed: Config }) {
  const settled = useSettled(changed, JSON.stringify(changed));
  const isChanged = Object.keys(settled).length > 0;
  const now = useRunEstimate(project.id, {});
  const after = useRunEstimate(project.id, settled, isChanged);
  const engines = useEngines();
  if (!isChanged || engines === undefined) return null;
  if (pagePrice(engines.ladder, { ...project.config, ...settled }, engines.hasExits) === undefined)
    return <span className="block text-xs">{texts.price.impossible}</span>;
  const [before, later] = [now.data, after.data];
  if (before === undefined || later === undefined || before.runId === null) return null;
  if (before.estimatedCredits === later.estimatedCredits) return null;
  const { credits } = words.counts;
  return (
    <span className="block text-xs">
      {texts.price.run(credits(later.estimatedCredits))} ({texts.price.was(credits(before.estimatedCredits))})
    </span>
  );
}
