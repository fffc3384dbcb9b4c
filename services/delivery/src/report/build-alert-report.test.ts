import { describe, expect, it } from '@jest/globals';
import { AlertMatch } from '@tidemark/contracts/diff/v1/diff';
import { Channels } from '@tidemark/contracts/projects/v1/projects';
import { buildAlertReport } from './build-alert-report.ts';

const match = (rule: string, place: number): AlertMatch =>
  AlertMatch.fromPartial({
    alert: { id: rule, name: rule },
    entry: {
      kind: 'modified',
      url: `https://shop.example/${place}`,
      title: `Lamp ${place}`,
      wordsAdded: 2,
      wordsRemoved: 1,
    },
  });
const report = (...matches: AlertMatch[]) =>
  buildAlertReport(
    {
      kind: 'alert',
      workspaceId: 'ws_1',
      channels: Channels.fromPartial({
        projectId: 'prj_1',
        projectName: 'Shop',
        seed: 'https://shop.example/',
        timezone: 'UTC',
      }),
      key: 'run_1:alert.matched',
      runId: 'run_1',
      at: new Date(0),
      matches,
    },
    'https://console.example',
  );

describe('the report of alerts', () => {
  it('has the name of the rule as title, and the changes', () => {
    expect(report(match('Price below 100', 1), match('Price below 100', 2))).toMatchObject({
      title: 'Shop: Price below 100 (2 changes)',
      pages: [
        { title: 'Lamp 1', url: 'https://shop.example/1', summary: '2 words added, 1 removed' },
        { title: 'Lamp 2' },
      ],
      more: 0,
      link: 'https://console.example/projects/prj_1/runs/run_1',
    });
  });

  it('names the rule of each change where there are several', () => {
    expect(report(match('Price', 1), match('Recall', 1))).toMatchObject({
      title: 'Shop: 2 alerts (2 changes)',
      pages: [{ summary: 'Price: 2 words added, 1 removed' }, { summary: 'Recall: 2 words added, 1 removed' }],
    });
  });

  it('counts the changes that it does not list', () => {
    expect(report(...Array.from({ length: 25 }, (_, at) => match('Price', at)))).toMatchObject({ more: 15 });
  });

  it('does not exist without a match', () => {
    expect(report()).toBeUndefined();
  });
});
