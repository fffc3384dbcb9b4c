import { describe, expect, it } from '@jest/globals';
import {
  channelsOf,
  entry,
  HOSTILE,
  recordOf,
  runNotification,
  siteHealthNotification,
} from '../report/fixtures/notifications.ts';
import { makeMailMessages } from './mail-messages.ts';

const READERS = channelsOf({ notifyEmails: ['ann@reader.example'] });
const mailsOf = makeMailMessages('https://console.example');

function mailOf(...[notification]: Parameters<typeof mailsOf>): { subject: string; text: string; html: string } {
  return JSON.parse(mailsOf(notification)[0]?.body('') ?? '');
}

describe('the mail of a run', () => {
  it('has a plain text part', () => {
    const digest = { summary: 'A lamp is new.', points: ['Returns within 14 days'], significant: true };
    expect(
      mailOf(runNotification({ channels: READERS, digest })).text,
    ).toBe(`shop.example: 1 page added, 1 removed, 4 modified

A lamp is new.

- Returns within 14 days

1 added · 1 removed · 4 modified · 1 field changed

added Brass wall lamp · /lamps/brass-wall-lamp: https://shop.example/lamps/brass-wall-lamp
  212 words added

removed Old lantern · /lamps/old-lantern: https://shop.example/lamps/old-lantern

modified Terms of sale · /terms?version=2026: https://shop.example/terms?version=2026
  14 words added, 9 removed, title changed in “Returns”: Goods come back within [30 → 14] days.

many pages /: https://shop.example/
  the same on 48 pages in “Footer”

… and 3 more

See it whole: https://console.example/projects/prj_1/runs/run_1

-- 
You are written to because notify_emails of the project shop.example names your address.
`);
  });

  it('shows text of pages without markup, links or images', () => {
    const entries = [
      entry({ section: HOSTILE, url: 'https://shop.example/"><img src=x>' }),
      entry({ url: 'javascript:alert(1)' }),
    ];
    const digest = { summary: HOSTILE, points: [HOSTILE], significant: true };
    const { html, text } = mailOf(runNotification({ channels: READERS, entries, digest }));
    expect(html).not.toMatch(/<script|<img|javascript:alert\(1\)"|evil\.example"/);
    expect(html).not.toMatch(/https:\/\/evil|www\.evil/);
    expect(text).not.toMatch(/https:\/\/evil|www\.evil|\u202e/);
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => new URL(url ?? '').host)).toEqual([
      'shop.example',
      'console.example',
    ]);
  });

  it('loads no external resources', () => {
    expect(mailOf(runNotification({ channels: READERS })).html).not.toMatch(
      /<(img|script|link|style|iframe|form)|src=|url\(/,
    );
  });

  it('is sent separately and once to each address of notify_emails', () => {
    const channels = channelsOf({ notifyEmails: ['a@x.example', 'b@x.example', 'a@x.example'] });
    expect(mailsOf(runNotification({ channels })).map(({ key, recipient }) => [key, recipient])).toEqual([
      ['run_1:run.finished:mail:a@x.example', 'a@x.example'],
      ['run_1:run.finished:mail:b@x.example', 'b@x.example'],
    ]);
  });

  it('is not built where there is nothing to report, or no recipient', () => {
    expect(
      mailsOf(runNotification({ channels: READERS, entries: [], record: recordOf({ counts: { same: 3 } }) })),
    ).toEqual([]);
    expect(mailsOf(runNotification())).toEqual([]);
  });
});

describe('the mail of a site', () => {
  it('states that its runs fail, and why', () => {
    const { subject, text } = mailOf({ ...siteHealthNotification('failing'), channels: READERS });
    expect(subject).toBe('shop.example: runs are failing');
    expect(text).toContain('The last 3 runs read no page.');
  });

  it('has a subject of one line, whatever the name of its project', () => {
    const channels = channelsOf({ notifyEmails: ['ann@reader.example'], projectName: 'Shop\r\nBcc: all@x.example' });
    expect(mailOf({ ...siteHealthNotification('recovered'), channels }).subject).toBe(
      'Shop Bcc: all@x.example: runs work again',
    );
  });
});
