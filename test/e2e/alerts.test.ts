import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Change, Project } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

interface Preview {
  readonly matches: { readonly change: Change; readonly sent: boolean }[];
  readonly matched: number;
  readonly records: number;
}

const fleet = sharedFleet();
let site: HarbourSite;
let receiver: WebhookReceiver;
let workspace: Workspace;
let project: Project;

const FIELDS = { fee: { selector: '.lead', type: 'number' } };
const BELOW = { id: 'fee', name: 'Fee above 13', when: 'fields.fee.after > 13', cooldown_minutes: 0 };
const TEXT = { id: 'notice', name: 'Notice of repairs', when: 'mentions(entry.text_added, "closed for repairs")' };

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  receiver = await startReceiver('127.0.0.6');
  const config = {
    fields: FIELDS,
    alerts: [BELOW, TEXT],
    webhook_url: `${receiver.origin}/hook`,
    webhook_events: ['alert.matched'],
  };
  project = await makeProject(workspace.writer, { seed: `${site.origin}/`, config });
}, 60_000);
afterAll(async () => {
  site.close();
  receiver.close();
  await fleet.close();
});

/** Runs the project and returns the changes of its record. */
async function changesOfRun(): Promise<readonly Change[]> {
  const run = await runToEnd(workspace.writer, project.id);
  return (await recordOf(workspace.reader, project.id, run.id)).entries;
}

describe('alert rules', () => {
  test('mark the changes that make them true in the record, and are sent to the webhook', async () => {
    expect(await changesOfRun()).toEqual([]);
    site.fee = 14;
    const changes = await changesOfRun();
    expect(changes.map(({ url, alerts }) => [new URL(url).pathname, alerts])).toEqual([
      ['/prices', [{ id: 'fee', name: 'Fee above 13' }]],
    ]);
    const message = await until('the message of the alert', async () => receiver.received[0]);
    expect(JSON.parse(message.raw)).toMatchObject({
      event: 'alert.matched',
      project: { id: project.id },
      data: {
        alert: { id: 'fee', name: 'Fee above 13' },
        matches: [{ changeId: changes[0]?.id, kind: 'modified', fields: ['fields.fee'] }],
        more: 0,
      },
    });
  }, 60_000);

  test('do not match while they stay true', async () => {
    site.fee = 15;
    expect((await changesOfRun()).map(({ alerts }) => alerts)).toEqual([[]]);
  }, 60_000);

  test('are previewed on the stored records', async () => {
    const preview = async (when: string): Promise<Preview> => {
      const { status, body, text } = await workspace.reader.post(`/projects/${project.id}/alerts/preview`, { when });
      if (status !== 200) throw new Error(text);
      return body as Preview;
    };
    expect(await preview('fields.fee.after > 13')).toMatchObject({ matched: 1, records: 2 });
    const found = await preview('fields.fee.changed');
    expect(found.matches.map(({ sent }) => sent)).toEqual([false, true]);
    expect(found.matches.map(({ change }) => new URL(change.url).pathname)).toEqual(['/prices', '/prices']);
  });

  test.each([
    ['fields.prise.after > 3', 'there is no member prise; known: fee (line 1, column 7)'],
    ['words_added >', 'syntax error at line 1'],
  ])('are refused with the place of the fault: %s', async (when, reason) => {
    const previewed = await workspace.reader.post(`/projects/${project.id}/alerts/preview`, { when });
    const saved = await workspace.writer.patch(`/projects/${project.id}`, {
      config: { alerts: [BELOW, { ...TEXT, when }] },
    });
    for (const [response, field] of [
      [previewed, 'when'],
      [saved, 'config.alerts.1.when'],
    ] as const) {
      const { status, error, fields } = errorOf(response);
      expect([status, fields]).toEqual([422, [field]]);
      expect(error).toContain(reason);
    }
  });
});
