import { useParams } from '@tanstack/react-router';
import { type Body, type Project, TidemarkError } from '@tidemark/sdk';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { keyOf, refresh } from '../../api/queries.ts';
import { writeOptimistically } from '../../api/writes.ts';
import { messagesOf, type Patch } from '../../parts/settings/draft.ts';
import { settingName } from '../../parts/settings/labels.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { FROM } from './use-settings.ts';

const { settings: texts } = words;

const merged =
  ({ own, config }: Patch) =>
  (project: Project): Project => ({
    ...project,
    ...own,
    config: Object.fromEntries(Object.entries({ ...project.config, ...config }).filter(([, value]) => value !== null)),
  });

const refreshProject = () =>
  refresh('GET /projects/{id}', 'GET /projects', 'GET /projects/{id}/config/versions', 'GET /projects/{id}/sources');

/** Returns the values of the project itself before a patch. */
const ownBefore = (project: Project, { own }: Patch): Body<'PATCH /projects/{id}'> => {
  const { name, seed, tags, schedule, timezone, retention } = project;
  const before = { name: name ?? '', seed, tags, schedule, timezone, retention };
  return Object.fromEntries(Object.entries(before).filter(([key]) => key in own));
};

/** Takes a saved patch back: restores the version before it, unless the settings were changed again since. */
async function takeBack(before: Project, patch: Patch, savedVersion: number): Promise<void> {
  const path = { id: before.id };
  const { configVersion } = await client.call('GET /projects/{id}', { path });
  if (configVersion !== savedVersion) return notify(texts.changedSince, { isBad: true });
  if (Object.keys(patch.own).length > 0)
    await client.call('PATCH /projects/{id}', { path, body: ownBefore(before, patch) });
  if (savedVersion === before.configVersion) return notify(texts.undone);
  const version = { ...path, version: String(before.configVersion) };
  const { notRestored } = await client.call('POST /projects/{id}/config/versions/{version}/restore', { path: version });
  notify(notRestored.length === 0 ? texts.undone : texts.undoneExcept(notRestored.map(settingName).join(', ')));
}

export const report = (error: unknown): void => {
  if (error instanceof Error) notify(words.states.failed(sentenceOf(error)), { isBad: true });
};

/** Returns the function that saves settings: shown at once, with a way back; refusals are kept by key. */
export function useSave() {
  const { project: id } = useParams({ from: FROM });
  const [messages, setMessages] = useState<Readonly<Record<string, string>>>({});
  /** @returns the keys whose values were refused; undefined if the settings are saved */
  const save = async (before: Project, patch: Patch): Promise<readonly string[] | undefined> => {
    setMessages({});
    let savedVersion = 0;
    try {
      await writeOptimistically<Project>({
        key: keyOf('GET /projects/{id}', { path: { id } }),
        change: merged(patch),
        write: async () => {
          const body: Body<'PATCH /projects/{id}'> = { ...patch.own, config: patch.config };
          ({ configVersion: savedVersion } = await client.call('PATCH /projects/{id}', { path: { id }, body }));
        },
      });
    } catch (error) {
      const issues = error instanceof TidemarkError ? (error.detail ?? []) : [];
      const refused = messagesOf(issues);
      setMessages(refused);
      if (issues.length > 0) notify(texts.invalid, { isBad: true });
      else report(error);
      return Object.keys(refused);
    }
    void refreshProject();
    const changes = Object.keys(patch.own).length + Object.keys(patch.config).length;
    const undo = () => void takeBack(before, patch, savedVersion).then(refreshProject, report);
    notify(texts.saved(words.counts.settings(changes)), { undo });
    return undefined;
  };
  return { save, messages, clear: () => setMessages({}) };
}
