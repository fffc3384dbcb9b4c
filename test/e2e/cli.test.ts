import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleTo } from '@tidemark/cli/bundle';
import { verifyWebhook } from '@tidemark/sdk';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const ROOT = join(import.meta.dirname, '../..');
const fleet = sharedFleet();
let site: HarbourSite;
let receiver: WebhookReceiver;
let folder = '';
let program = '';
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tm-cli-'));
  program = join(folder, 'tidemark.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await bundleTo(program);
  site = await startHarbour('127.0.0.5');
  receiver = await startReceiver('127.0.0.1');
  const { admin } = await fleet.workspaces.make();
  env = { PATH: process.env['PATH'], HOME: folder, TIDEMARK_API_KEY: admin.key, TIDEMARK_BASE_URL: `${fleet.url}/v1` };
});
afterAll(async () => {
  site.close();
  receiver.close();
  rmSync(folder, { recursive: true });
  await fleet.close();
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const tidemark = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });

/** Starts a command and collects what it prints. */
function start(...args: readonly string[]): {
  readonly child: ChildProcess;
  readonly printed: { out: string; err: string };
} {
  const child = spawn(process.execPath, [program, ...args], { env, cwd: folder });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (printed.out += chunk));
  child.stderr.on('data', (chunk) => (printed.err += chunk));
  return { child, printed };
}

const urlsOf = (jsonl: string): string[] =>
  jsonl
    .trim()
    .split('\n')
    .map((line) => new URL(JSON.parse(line).url).pathname);

describe('the command line', () => {
  test('prints the body of one page alone on stdout, and its verdict and cost on stderr', async () => {
    const { code, stdout, stderr } = await tidemark('scrape', `${site.origin}/prices`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^# Prices\n\nThe fee is 12 crowns a night/),
    });
    expect(stderr).toMatch(/^ok {2}http:\S+\/prices {2}\d+ words, 1 credit\n$/);
  });

  test('prints the row as JSON for several bodies of one page', async () => {
    const { code, stdout } = await tidemark('scrape', '-f', 'markdown,links', `${site.origin}/prices`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ markdown: expect.stringContaining('crowns'), links: expect.any(Array) });
  });

  test('ends with 1 and no body for a page that is not there', async () => {
    const { code, stdout, stderr } = await tidemark('scrape', `${site.origin}/nothing`);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('NOT_FOUND') });
  });

  test('prints a line of JSON for each page of a list', async () => {
    writeFileSync(join(folder, 'list.txt'), `${site.origin}/\n# a comment\n${site.origin}/marees\n`);
    const { code, stdout } = await tidemark('scrape', '--urls-from', 'list.txt');
    expect(code).toBe(0);
    expect(urlsOf(stdout).toSorted()).toEqual(['/', '/marees']);
  });

  test('draws progress on stderr if that is a terminal, and keeps stdout free of it', async () => {
    const urls = ['/', '/prices'].map((path) => `${site.origin}${path}`).join(' ');
    const command = `${process.execPath} ${program} scrape ${urls} > rows.jsonl`;
    // script(1) runs the command on a terminal of its own.
    const shown = await new Promise<string>((resolve) => {
      execFile('script', ['-qec', command, '/dev/null'], { env: { ...env, TERM: 'xterm' }, cwd: folder }, (_, stdout) =>
        resolve(stdout),
      );
    });
    expect(shown).toMatch(/█+ 2\/2 pages, 2 credits/);
    expect(urlsOf(readFileSync(join(folder, 'rows.jsonl'), 'utf8')).toSorted()).toEqual(['/', '/prices']);
  });

  test('lists the URLs of a site', async () => {
    const { stdout } = await tidemark('map', site.origin);
    expect(stdout).toBe(['/', '/prices', '/hidden'].map((path) => `${site.origin}${path}\n`).join(''));
  });

  test('leaves a crawl running at Ctrl-C, prints how to continue, and continues without a gap', async () => {
    site.gate = Promise.withResolvers<void>();
    const config = `url_list=${JSON.stringify([`${site.origin}/prices`, `${site.origin}/slow`])}`;
    const { child, printed } = start('crawl', `${site.origin}/`, '-c', config, '-c', 'crawl_mode=list_only');
    await until('the first row', () => printed.out.includes('/prices'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const [, id = '', cursor = ''] = /tidemark crawl (run_\w+) --cursor (\S+)/.exec(printed.err) ?? [];
    site.gate.resolve();
    const rest = await tidemark('crawl', id, '--cursor', cursor);
    expect(rest).toMatchObject({ code: 0, stderr: expect.stringContaining('done (finished)') });
    expect([...urlsOf(printed.out), ...urlsOf(rest.stdout)].toSorted()).toEqual(['/prices', '/slow']);
  });

  test('lists and runs the projects with a tag', async () => {
    const created = await tidemark('project', 'create', `${site.origin}/prices`, 'tags=legal,eu', 'max_pages=1');
    const id = created.stdout.trim();
    await tidemark('project', 'create', `${site.origin}/`, 'tags=eu');
    const listed = await tidemark('projects', '--tag', 'legal', '--json=id,tags');
    expect(JSON.parse(listed.stdout)).toEqual({ id, tags: ['eu', 'legal'] });
    const started = await tidemark('run', '--tag', 'legal');
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${id}  run_\\w+\n$`)) });
    expect(await tidemark('run', '--tag', 'legal', id)).toMatchObject({
      stderr: expect.stringContaining('either a project or --tag'),
    });
  });

  test('reports changes by exit code and as word diff, and forwards signed events to a local receiver', async () => {
    const created = await tidemark('project', 'create', `${site.origin}/`, 'name=Harbour', 'store_html=always');
    const id = created.stdout.trim();
    expect(id).toMatch(/^prj_\w+$/);
    expect(await tidemark('run', id, '--wait')).toMatchObject({ code: 0 });
    expect(await tidemark('changes', id, '--exit-code')).toMatchObject({ code: 3, stdout: '' });
    const listener = start('webhooks', 'listen', id, '--forward', `${receiver.origin}/hook`);
    await until('the listener to wait', () => listener.printed.err.includes('waiting for runs'));
    site.fee = 15;
    expect(await tidemark('run', id, '--wait')).toMatchObject({ code: 0 });
    const changes = await tidemark('changes', id, '--exit-code', '--patch');
    expect(changes).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/modified \S+\/prices\n[\s\S]*\[-12-\]\s*\{\+15\+\}/),
    });
    expect((await tidemark('all-changes', '--json=projectId,kind')).stdout).toContain(
      `{"projectId":"${id}","kind":"modified"}`,
    );
    await until('both events', () => receiver.received.length >= 2);
    listener.child.kill('SIGINT');
    const [, secret = ''] = /signing secret: (\S+)/.exec(listener.printed.err) ?? [];
    const messages = await Promise.all(
      receiver.received.map(({ raw, headers }) => verifyWebhook(raw, headers, secret)),
    );
    expect(messages.map(({ event }) => event)).toEqual(['run.finished', 'page.changed']);
    expect(messages[1]?.data).toMatchObject({ url: `${site.origin}/prices`, kind: 'modified' });
    site.fee = 15;
    await tidemark('run', id, '--wait');
    expect(await tidemark('changes', id, '--exit-code')).toMatchObject({ code: 0, stdout: '' });
    const exported = await tidemark('export', id, 'pages', '--format', 'csv');
    expect(exported.stdout.split('\n')[0]).toContain('"url","askedUrl"');
    const found = await tidemark('search', id, 'crowns', '--json=url');
    expect(urlsOf(found.stdout)).toEqual(['/prices']);
  });

  test('creates the projects of an import', async () => {
    writeFileSync(
      join(folder, 'watches.json'),
      JSON.stringify({
        watching: {
          a: { url: `${site.origin}/prices`, include_filters: ['main'], time_between_check: { minutes: 30 } },
        },
      }),
    );
    const imported = await tidemark('import', 'watches.json', '--from', 'changedetection');
    const [id = ''] = imported.stdout.split(' ');
    const { stdout } = await tidemark('project', 'get', id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      schedule: '*/30 * * * *',
      config: { crawl_mode: 'list_only', url_list: [`${site.origin}/prices`], include_selectors: ['main'] },
    });
    expect(await tidemark('project', 'delete', id, '--yes')).toMatchObject({ code: 0 });
  });

  test('sends any request, lists keys and projects, and finds no problem', async () => {
    expect((await tidemark('api', 'GET', '/projects', 'limit=1')).stdout).toMatch(/^\{"data":\[/);
    expect((await tidemark('keys')).stdout).toMatch(/^id\tname\tscopes/);
    expect((await tidemark('projects', '--fields', 'name')).stdout).toContain('{"name":"Harbour"}');
    expect(await tidemark('doctor')).toMatchObject({ code: 0 });
    expect((await tidemark('usage')).code).toBe(0);
  });

  test('is used by examples/cli.sh, which runs to its end', async () => {
    const ended = await new Promise<Ended>((resolve) => {
      const more = { ...env, TIDEMARK: `${process.execPath} ${program}` };
      execFile(
        'sh',
        [join(ROOT, 'examples/cli.sh'), `${site.origin}/`],
        { env: more, cwd: folder },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
      );
    });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('changes ended with 3') });
    expect(readFileSync(join(folder, 'pages.csv'), 'utf8')).toContain(`${site.origin}/prices`);
  });
});
