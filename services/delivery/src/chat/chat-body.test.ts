import { describe, expect, it } from '@jest/globals';
import type { ChatService } from '@tidemark/project-config';
import { buildReport } from '../report/build-report.ts';
import {
  channelsOf,
  entry,
  HOSTILE,
  recordOf,
  runNotification,
  siteHealthNotification,
} from '../report/fixtures/notifications.ts';
import type { Report } from '../report/report.ts';
import { chatBody } from './chat-body.ts';
import { escapeMarkdown } from './markdown-lines.ts';

const URLS: Readonly<Record<ChatService, string>> = {
  slack: 'https://hooks.slack.com/services/T0/B0/abc',
  teams: 'https://prod-12.westeurope.logic.azure.com/workflows/abc/triggers/manual/paths/invoke',
  discord: 'https://discord.com/api/webhooks/123/abc',
  mattermost: 'https://chat.example/hooks/abcdefghijklmnopqrstuvwx12',
  google_chat: 'https://chat.googleapis.com/v1/spaces/AAA/messages',
};
const ALL: readonly ChatService[] = ['slack', 'teams', 'discord', 'mattermost', 'google_chat'];
const DIGEST = {
  summary: 'A lamp is new.',
  points: ['Brass wall lamp added', 'Returns within 14 days'],
  significant: true,
};

function must(report: Report | undefined): Report {
  if (report === undefined) throw new Error('there is nothing to report');
  return report;
}

function bodyFor(service: ChatService, report: Report): string {
  const made = chatBody(URLS[service], report);
  if ('reason' in made) throw new Error(made.reason);
  return made.body;
}

const shop = (): Report => must(buildReport(runNotification({ digest: DIGEST }), 'https://console.example'));

/** Every text in a message, with its path of property names. */
function texts(value: unknown, path = ''): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, path));
  if (typeof value !== 'object' || value === null) return [];
  const kind = 'type' in value && typeof value.type === 'string' ? `(${value.type})` : '';
  return Object.entries(value).flatMap(([name, item]) => texts(item, `${path}${kind}.${name}`));
}

const bare = (text: string): string => text.replaceAll('\u200b', '').replaceAll('\\', '');

describe.each(ALL)('a message of %s', (service) => {
  it('holds what changed, the digest, links to the pages, and the number of further pages', () => {
    const allText = texts(JSON.parse(bodyFor(service, shop())))
      .map(([, text]) => bare(text))
      .join('\n');
    expect(allText).toContain('shop.example: 1 page added, 1 removed, 4 modified');
    for (const words of ['A lamp is new.', 'Returns within 14 days', '212 words added', '“Returns”', '… and 3 more'])
      expect(allText).toContain(words);
    expect(allText).toContain('https://shop.example/lamps/brass-wall-lamp');
    expect(allText).toContain('https://console.example/projects/prj_1/runs/run_1');
  });

  it('reports a failing site', () => {
    const report = must(buildReport(siteHealthNotification('failing'), ''));
    const allText = texts(JSON.parse(bodyFor(service, report)))
      .map(([, text]) => bare(text))
      .join('\n');
    expect(allText).toContain('shop.example: runs are failing');
    expect(allText).toContain('The last 3 runs read no page.');
  });

  it('stays within the limits of the service by listing fewer pages', () => {
    const long = HOSTILE.repeat(500);
    const entries = Array.from({ length: 20 }, (_, at) =>
      entry({ section: long, url: `https://shop.example/${at}/${'("*'.repeat(3_000)}` }),
    );
    const digest = { summary: long, points: [long, long, long, long, long], significant: true };
    const channels = channelsOf({ projectName: long });
    const report = must(
      buildReport(runNotification({ entries, digest, channels, record: recordOf({ counts: { modified: 500 } }) }), ''),
    );
    const body = bodyFor(service, report);
    const most = { slack: 40_000, teams: 28_000, discord: 40_000, mattermost: 40_000, google_chat: 32_000 }[service];
    expect(Buffer.byteLength(body)).toBeLessThan(most);
    const all = texts(JSON.parse(body));
    expect(all.map(([, text]) => bare(text)).join('\n')).toMatch(/… and 4\d\d more|… and 500 more/);
    if (service === 'discord') {
      expect(all.find(([path]) => path === '.embeds.title')?.[1].length).toBeLessThanOrEqual(256);
      expect(all.find(([path]) => path === '.embeds.description')?.[1].length).toBeLessThanOrEqual(4_096);
    }
    if (service === 'slack') {
      for (const [path, text] of all) if (path.includes('plain_text')) expect(text.length).toBeLessThanOrEqual(3_000);
      expect(JSON.parse(body).blocks.length).toBeLessThanOrEqual(50);
    }
  });
});

describe('text of a page in a message', () => {
  const hostile = (): Report => {
    const entries = [entry({ section: HOSTILE, url: 'https://shop.example/a' })];
    return must(
      buildReport(
        runNotification({ entries, digest: { summary: HOSTILE, points: [HOSTILE], significant: false } }),
        '',
      ),
    );
  };

  it('is placed where Slack reads no markup, and links lead to the pages alone', () => {
    const all = texts(JSON.parse(bodyFor('slack', hostile())));
    const notification = all.filter(([, text]) => text.includes('channel'));
    expect(notification.length).toBeGreaterThan(2);
    for (const [path] of notification)
      expect(path).toMatch(/\(plain_text\)\.text$|rich_text_section\).*\(text\)\.text$/);
    for (const [, text] of notification) expect(text).not.toContain('://');
    expect(all.some(([path]) => path.includes('mrkdwn'))).toBe(false);
    expect(all.filter(([path]) => path.endsWith('.url')).map(([, url]) => url)).toEqual(['https://shop.example/a']);
  });

  it('is placed in text runs in Teams, which have no markup or mentions', () => {
    const all = texts(JSON.parse(bodyFor('teams', hostile())));
    for (const [path] of all.filter(([, text]) => text.includes('everyone')))
      expect(path).toMatch(/\(TextRun\)\.text$/);
    for (const [path, text] of all) if (path.endsWith('(TextRun).text')) expect(text).not.toContain('://');
    expect(all.some(([, text]) => text === 'TextBlock')).toBe(false);
    expect(all.filter(([path]) => path.endsWith('.url')).map(([, url]) => url)).toEqual(['https://shop.example/a']);
  });

  it.each(['discord', 'mattermost'] as const)('is no markup, link or mention in %s', (service) => {
    const body = bodyFor(service, hostile());
    const notification = texts(JSON.parse(body))
      .filter(([path]) => /description|text$/.test(path))
      .map(([, text]) => text)
      .join('\n');
    expect(notification).not.toMatch(/@everyone|@here|<@|<!|<#|<https|(?<!\]\()https:\/\/|www\./);
    expect(notification).not.toMatch(/(?<!\\)[*_`~|#]/);
    expect([...notification.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, url]) => url)).toEqual([
      'https://shop.example/a',
    ]);
    if (service === 'discord') expect(JSON.parse(body).allowed_mentions).toEqual({ parse: [] });
  });

  it('is no html in Google Chat, and is not placed where mentions are read', () => {
    const message = JSON.parse(bodyFor('google_chat', hostile()));
    expect(message.text).toBeUndefined();
    const paragraphs = texts(message)
      .filter(([path]) => path.endsWith('.text'))
      .map(([, text]) => text);
    expect(paragraphs.join('')).toContain('&lt;script&gt;');
    for (const text of paragraphs) expect(text.replaceAll(/<br>|<\/?i>/g, '')).not.toMatch(/[<>]|:\/\//);
  });

  it('can’t end a link early or hide its target', () => {
    const entries = [entry({ url: 'https://shop.example/a)[x](https://evil.example' })];
    const report = must(buildReport(runNotification({ entries }), ''));
    const text =
      texts(JSON.parse(bodyFor('discord', report))).find(([path]) => path.endsWith('description'))?.[1] ?? '';
    expect([...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, url]) => new URL(url ?? '').host)).toEqual([
      'shop.example',
    ]);
    expect(escapeMarkdown('a\\*b')).toBe('a\\\\\\*b');
  });
});
