import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type OwnFleet, serviceOf } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { expectAllWell, startFaultyFleet, WELCOME_CREDITS } from './invariants.ts';
import { startHeld } from './load.ts';

const web = await startWeb();
let fleet: OwnFleet;
let workspace: Workspace;

beforeAll(async () => {
  fleet = await startFaultyFleet();
}, 90_000);
beforeEach(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

const LIMIT_MS = 150_000;
const rendered = { config: { render_js: 'always', timeout_seconds: 20 } };

/** The browsers a process has started, by walking from parent to child. */
function browsersOf(ancestor: number): number[] {
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(pid), parent, command: readFileSync(`/proc/${pid}/cmdline`, 'latin1') }];
      } catch {
        return []; // ended while we looked
      }
    });
  const children = (of: number): typeof running =>
    running.filter(({ parent }) => parent === of).flatMap((child) => [child, ...children(child.pid)]);
  return children(ancestor)
    .filter(({ command }) => /chrom/i.test(command) && !command.includes('--type='))
    .map(({ pid }) => pid);
}

test(
  'Chromium killed while it renders: the page is rendered by a new one, and charged once',
  async () => {
    const held = await startHeld(workspace.writer, web, 'chromium', rendered);
    const browsers = browsersOf(serviceOf(fleet, 'browser-pool').pid);
    expect(browsers.length).toBeGreaterThan(0);
    for (const pid of browsers) process.kill(pid, 'SIGKILL');
    web.open('chromium');

    const ended = await expectAllWell(fleet, workspace, { accepted: [held] });
    expect(ended.get(held)).toBe('done');
    expect((await workspace.reader.job(held)).data).toMatchObject([{ verdict: 'ok', tier: 'browser', credits: 5 }]);
    expect((await workspace.reader.credits()).remaining).toBe(WELCOME_CREDITS - 5);
  },
  LIMIT_MS,
);

test(
  'Chromium hung while it renders: the capture ends in bounded time, and the next page is rendered',
  async () => {
    const held = await startHeld(workspace.writer, web, 'hung', {
      config: { render_js: 'always', timeout_seconds: 5 },
    });
    const browsers = browsersOf(serviceOf(fleet, 'browser-pool').pid);
    for (const pid of browsers) process.kill(pid, 'SIGSTOP');
    web.open('hung');

    await expectAllWell(fleet, workspace, { accepted: [held] });
    const { page } = await workspace.writer.capture(web.url('/app-shell'));
    expect(page).toMatchObject({ verdict: 'ok', tier: 'browser' });
  },
  LIMIT_MS,
);

test(
  'browser-pool killed during a render: the job continues after the restart and is charged once',
  async () => {
    const held = await startHeld(workspace.writer, web, 'pool', rendered);
    const orphans = browsersOf(serviceOf(fleet, 'browser-pool').pid);
    await serviceOf(fleet, 'browser-pool').kill('SIGKILL');
    web.open('pool');
    await serviceOf(fleet, 'browser-pool').restart();

    const ended = await expectAllWell(fleet, workspace, { accepted: [held] });
    expect(ended.get(held)).toBe('done');
    await until('the exit of its browsers', () => orphans.every((pid) => !isAlive(pid)), { withinMs: 10_000 });
  },
  LIMIT_MS,
);

test(
  'a page that needs no browser is captured while browser-pool is down',
  async () => {
    await serviceOf(fleet, 'browser-pool').kill('SIGKILL');
    const { page } = await workspace.writer.capture(web.url('/article'));
    expect(page).toMatchObject({ verdict: 'ok', tier: 'http' });
    await serviceOf(fleet, 'browser-pool').restart();
  },
  LIMIT_MS,
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
