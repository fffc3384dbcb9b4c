import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { bundleTo } from '../bundle.config.ts';
import { patchOf } from '../src/commands/changes.ts';
import { partsOf } from '../src/commands/projects.ts';
import { fileNameOf } from '../src/files.ts';
import { createProgram } from '../src/run.ts';
import { VERSION } from '../src/version.ts';

let folder = '';
let program = '';
let baseUrl = '';
let waiting: PromiseWithResolvers<void> | undefined;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => respond(request.url ?? '', request.headers.authorization, response, body));
});

const LISTED = 25;
/** Rows that one response of a search scans. */
const SCANNED = 10;

/** A list of 25 rows whose cursor is the number of the last row. The third request of `failing` gets no rows. */
function listPart(range: URLSearchParams): { status: number; body: unknown } {
  const after = Number(range.get('cursor') || 0);
  if (range.get('projectId') === 'prj_failing' && after > 0)
    return { status: 500, body: { error: 'the database is restarting', code: 'internal', request_id: 'req_9' } };
  const end = Math.min(LISTED, after + Math.min(SCANNED, Number(range.get('limit') ?? 10)));
  const data = Array.from({ length: end - after }, (_, at) => ({ id: `row ${after + at + 1}`, status: 'delivered' }));
  const cursor = end === LISTED ? null : String(end);
  return { status: 200, body: { data, next: cursor, cursor } };
}

/** A search of 25 pages, each of which matches; a response scans ten of them. */
function searchPart(cursor: string | undefined): unknown {
  const after = Number(cursor ?? 0);
  const scanned = Math.min(SCANNED, LISTED - after);
  const page = { matches: 2, title: 'Depot', excerpts: [{ text: 'the fee', marks: [] }], head: { robots: null } };
  const data = Array.from({ length: scanned }, (_, at) => ({ url: `https://a.example/${after + at + 1}`, ...page }));
  const last = after + scanned;
  const next = last === LISTED ? null : String(last);
  return {
    data,
    next,
    cursor: next,
    runId: 'run_1',
    scanned,
    withoutBody: 3,
    total: LISTED + 3,
    note: 'three have no stored markdown',
  };
}

/** The first two rows of a batch or a crawl that is not done. */
function jobPart(url: string): unknown {
  const id = url.startsWith('/v1/crawl') ? 'run_1' : 'job_1';
  const row = { verdict: 'ok', credits: 1, words: 3, markdown: 'A fee' };
  const data = [1, 2].map((number) => ({ url: `https://a.example/${number}`, ...row }));
  const progress = { done: 2, total: 3, queued: 1 };
  return { id, status: 'running', progress, creditsUsed: 2, data, next: 'next', cursor: '2' };
}

/** URLs that get no response: the list of projects, and the second part of a list of deliveries. */
const UNANSWERED = [/^\/v1\/projects\?/, /^\/v1\/webhooks\/deliveries\?.*prj_slow.*cursor/];

/** A server with one workspace. */
function respond(url: string, authorization: string | undefined, response: ServerResponse, body: string): void {
  const send = (status: number, body: unknown): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_9' })
      .end(JSON.stringify(body));
  if (url === '/v1/meta')
    return void send(200, {
      ladder: [
        { tier: 'http', exit: false, credits: 1 },
        { tier: 'browser', exit: false, credits: 5 },
      ],
    });
  if (authorization !== 'Bearer service_good')
    return void send(401, { error: 'the key is unknown', code: 'unauthorized', request_id: 'req_9' });
  if (url === '/v1/me')
    return void send(200, {
      id: 'ws_1',
      name: 'Harbour',
      plan: 'free',
      credits: { remaining: 7 },
      limits: { rpm: 60 },
      key: { name: 'k', scopes: ['write'], can: ['read', 'write'] },
    });
  if (UNANSWERED.some((pattern) => pattern.test(url))) return void waiting?.resolve();
  // A job whose second part is refused.
  if (/^\/v1\/(scrape|crawl)\/\w+\?/.test(url) && url.includes('cursor=2'))
    return void send(404, { error: 'there is no such job', code: 'not_found', request_id: 'req_9' });
  if (/^\/v1\/(scrape|crawl)(\/|$)/.test(url)) return void send(200, jobPart(url));
  if (url.startsWith('/v1/projects/prj_1/runs'))
    return void send(200, { data: [{ id: 'run_1', trigger: 'api' }], next: null, cursor: null });
  if (/^\/v1\/projects\/prj_1\/changes\?/.test(url)) {
    const { body: list } = listPart(new URL(url, 'http://a.example').searchParams);
    const { data, cursor } = list as { data: { id: string }[]; cursor: string | null };
    const entries = data.map(({ id }) => ({ id, kind: 'modified', url: `https://a.example/${id}` }));
    return void send(200, { status: 'made', runId: 'run_1', counts: null, entries, next: cursor, cursor });
  }
  if (url.startsWith('/v1/webhooks/deliveries')) {
    const part = listPart(new URL(url, 'http://a.example').searchParams);
    return void send(part.status, part.body);
  }
  if (url.startsWith('/v1/projects/prj_1/export'))
    return void response.writeHead(200, { 'content-type': 'text/csv' }).end(url);
  if (url === '/v1/connections') return void send(201, { id: 'con_1', sent: JSON.parse(body) });
  if (url === '/v1/projects/prj_1/pages/search') return void send(200, searchPart(JSON.parse(body).cursor));
  if (url.startsWith('/v1/webhooks')) return void send(200, { data: [], next: null, cursor: null });
  if (url === '/v1/map') {
    const msg = 'url: the URL is empty';
    return void send(422, {
      error: msg,
      code: 'validation',
      request_id: 'req_9',
      detail: [{ loc: ['body', 'url'], msg }],
    });
  }
  send(404, { error: 'there is no such project', code: 'not_found', request_id: 'req_9' });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tm-cli-'));
  program = join(folder, 'tidemark.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await bundleTo(program);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  baseUrl = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const environment = (key: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  XDG_CONFIG_HOME: join(folder, 'config'),
  TIDEMARK_BASE_URL: baseUrl,
  TIDEMARK_API_KEY: key,
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bundle in an environment of its own. */
function run(args: readonly string[], { key = '', input = '' } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env: environment(key) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Runs a shell command on a terminal of its own, with script(1). `type` is typed after `prompt` is shown. */
function onTerminal(command: string, prompt: string, type: string): Promise<string> {
  const child: ChildProcess = spawn('script', ['-qec', command, '/dev/null'], { env: environment('') });
  let shown = '';
  let isTyped = false;
  child.stdout?.on('data', (chunk) => {
    shown += String(chunk);
    if (!isTyped && shown.includes(prompt)) isTyped = child.stdin?.write(type) ?? false;
  });
  return new Promise((resolve) => child.once('close', () => resolve(shown)));
}

describe('tidemark', () => {
  it('is one file that runs without packages and prints the version of the package', async () => {
    const { version }: { version: string } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    );
    expect(VERSION).toBe(version);
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('ends with 64 and a suggestion for an unknown command, and for a missing argument', async () => {
    expect(await run(['scrap'])).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('Did you mean scrape?'),
    });
    expect(await run(['scrape'])).toMatchObject({ code: 64, stderr: expect.stringContaining('--urls-from') });
  });

  it('ends with 4 without a key, and with a key that is refused', async () => {
    expect(await run(['whoami'])).toMatchObject({ code: 4, stderr: expect.stringContaining('tidemark login') });
    const { code, stderr } = await run(['whoami'], { key: 'service_bad' });
    expect([code, stderr]).toEqual([4, expect.stringContaining('the key is unknown')]);
    expect(stderr).toContain('request req_9');
  });

  it('stores a key from standard input, readable by the user only, and removes it again', async () => {
    expect(await run(['login', '--key-stdin'], { input: 'service_good\n' })).toMatchObject({ code: 0, stdout: '' });
    const file = join(folder, 'config/tidemark/config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(['whoami', '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"name":"Harbour"'),
    });
    expect((await run(['config'])).stdout).not.toContain('service_good');
    await run(['logout']);
    expect(await run(['whoami'])).toMatchObject({ code: 4 });
  });

  it('does not store a key that the server refuses', async () => {
    expect(await run(['login', '--key-stdin'], { input: 'service_bad' })).toMatchObject({ code: 4 });
    expect(await run(['whoami'])).toMatchObject({ code: 4 });
  });

  it('ends at once with 130 at Ctrl-C while it waits for a response', async () => {
    waiting = Promise.withResolvers<void>();
    const child = spawn(process.execPath, [program, 'projects'], { env: environment('service_good') });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    await waiting.promise;
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'interrupted\n' });
  });

  it('turns the echo of the terminal on again if the prompt for the key is interrupted', async () => {
    const command = `trap : INT; stty echo; ${process.execPath} ${program} login; echo "code $?"; stty -a`;
    const shown = await onTerminal(command, 'API key (not shown)', '\u0003');
    expect(shown).toContain('code 130');
    expect(shown).toMatch(/ echo[ ;]/);
  });

  it('reads a key from the terminal without showing it', async () => {
    const shown = await onTerminal(`${process.execPath} ${program} login`, 'API key (not shown)', 'service_good\n');
    expect(shown).toContain('signed in to Harbour');
    expect(shown).not.toContain('service_good');
    await run(['logout']);
  });

  it('loads no further modules of Node for --version, and none that send requests for a command without any', async () => {
    const probe = join(folder, 'probe.cjs');
    writeFileSync(probe, "process.on('exit', () => process._rawDebug(process.moduleLoadList.join()));");
    const loadedBy = (...args: string[]): string =>
      spawnSync(process.execPath, ['-r', probe, program, ...args], { env: environment(''), encoding: 'utf8' }).stderr;
    expect(loadedBy('--version')).not.toMatch(/NativeModule (child_process|readline|crypto|http)\b/);
    expect(loadedBy('config')).not.toMatch(/undici|NativeModule http\b/);
  });

  it('accepts a base URL with a slash at its end, and refuses one that is no URL', async () => {
    const with_ = (url: string) => run(['--base-url', url, 'whoami', '--json=plan'], { key: 'service_good' });
    expect(await with_(`${baseUrl}/`)).toMatchObject({ code: 0, stdout: '{"plan":"free"}\n' });
    expect(await with_('nonsense')).toMatchObject({ code: 64, stderr: expect.stringContaining('nonsense') });
  });

  it('states why no response arrived', async () => {
    const closed = 'http://127.0.0.1:2/v1';
    for (const args of [['whoami'], ['api', 'GET', '/me']])
      expect(await run(['--base-url', closed, ...args], { key: 'service_good' })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: no response from \S+\/v1\/me: .*ECONNREFUSED[\s\S]*tidemark doctor/),
      });
  });

  it('states the fault of a field once', async () => {
    const { stderr } = await run(['map', ''], { key: 'service_good' });
    expect(stderr).toBe('error: url: the URL is empty\n(validation, request req_9)\n');
  });

  it('states on stderr that a list is empty', async () => {
    expect(await run(['webhooks'], { key: 'service_good' })).toEqual({ code: 0, stdout: '', stderr: 'none\n' });
    expect(await run(['webhooks', '--json'], { key: 'service_good' })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('reads a list to its end', async () => {
    const { code, stdout, stderr } = await run(['webhooks', 'deliveries', 'prj_1'], { key: 'service_good' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^row \d+/gm)).toEqual(Array.from({ length: LISTED }, (_, at) => `row ${at + 1}`));
  });

  it('stops a list at --limit, and prints the cursor with which the next command continues behind the last row', async () => {
    const words = ['webhooks', 'deliveries', 'prj_1', '--json=id'];
    const first = await run([...words, '--limit', '13'], { key: 'service_good' });
    expect(first.stdout.trim().split('\n')).toHaveLength(13);
    expect(first.stderr).toBe('stopped after 13 rows, before the end of the list; continue with --cursor 13\n');
    const rest = await run([...words, '--cursor', '13'], { key: 'service_good' });
    expect(rest.stdout.trim().split('\n')).toHaveLength(LISTED - 13);
    expect(rest.stdout).toMatch(/^\{"id":"row 14"\}/);
  });

  it('prints the rows before a failure and the cursor that continues behind them, and ends with 1', async () => {
    const { code, stdout, stderr } = await run(['webhooks', 'deliveries', 'prj_failing'], { key: 'service_good' });
    expect({ code, rows: stdout.match(/^row \d+/gm)?.length }).toEqual({ code: 1, rows: SCANNED });
    expect(stderr).toContain('stopped after 10 rows, before the end of the list; continue with --cursor 10');
    expect(stderr).toContain('the database is restarting');
  });

  it('prints at Ctrl-C within a list the cursor that continues behind the printed rows', async () => {
    waiting = Promise.withResolvers<void>();
    const words = ['webhooks', 'deliveries', 'prj_slow'];
    const child = spawn(process.execPath, [program, ...words], { env: environment('service_good') });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    await waiting.promise;
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('close', resolve));
    const stopped = 'stopped after 10 rows, before the end of the list; continue with --cursor 10';
    expect({ code, stderr }).toEqual({ code: 130, stderr: `${stopped}\ninterrupted\n` });
  });

  it('lists changes to their end, or to --limit with the cursor that continues', async () => {
    const all = await run(['changes', 'prj_1', '--json=id'], { key: 'service_good' });
    expect(all.stdout.trim().split('\n')).toHaveLength(LISTED);
    const some = await run(['changes', 'prj_1', '--limit', '4', '--json=id'], { key: 'service_good' });
    expect(some.stdout.trim().split('\n')).toHaveLength(4);
    expect(some.stderr).toContain('stopped after 4 rows, before the end of the list; continue with --cursor 4');
  });

  it.each([
    [['crawl', 'https://a.example/'], 'tidemark crawl run_1 --cursor 2'],
    [['scrape', 'https://a.example/1', 'https://a.example/2'], 'tidemark api GET /scrape/job_1 cursor=2'],
  ])('prints how to continue where %j fails after some rows', async (words, continued) => {
    const { code, stdout, stderr } = await run(words, { key: 'service_good' });
    expect({ code, rows: stdout.trim().split('\n').length }).toEqual({ code: 1, rows: 2 });
    expect(stderr).toContain(`continues on the server: ${continued}\n`);
    expect(stderr).toContain('there is no such job');
  });

  it('searches every page of a run, although a response covers a part of them, and states how many were searched', async () => {
    const { code, stdout, stderr } = await run(['search', 'prj_1', 'fee'], { key: 'service_good' });
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head).toBe('url\tmatches\ttitle\texcerpt');
    expect(rows).toHaveLength(LISTED);
    expect(rows[0]).toBe('https://a.example/1\t2\tDepot\tthe fee');
    expect(stderr).toBe('25 pages found in 25 of 28 pages\nthree have no stored markdown\n');
  });

  it('gives every command that prints a list the options --limit and --cursor', () => {
    const lists = new Set([
      'projects',
      'runs',
      'pages',
      'search',
      'list',
      'deliveries',
      'syncs',
      'changes',
      'all-changes',
      'crawls',
    ]);
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    // Their routes return the whole list.
    const unpaged = new Set(['feeds', 'members']);
    const found = all(createProgram()).filter(
      (command) => lists.has(command.name()) && !unpaged.has(command.parent?.name() ?? ''),
    );
    expect(found.length).toBeGreaterThan(10);
    for (const command of found)
      expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--limit', '--cursor']));
  });

  it.each([
    ['project', 'get', '..'],
    ['pages', '.'],
    ['page', '..', 'https://a.example/'],
    ['open', '..'],
    ['api', 'GET', '/projects/../me'],
    ['api', 'GET', '/projects/%2E%2e/me'],
  ])('sends no request for an id or a path that leads to another route: %s %s %s', async (...words) => {
    const { code, stdout, stderr } = await run(words, { key: 'service_good' });
    expect({ isRefused: code !== 0, stdout }).toEqual({ isRefused: true, stdout: '' });
    expect(stderr).toMatch(/is a dot segment|has the segment \. or \.\./);
  });

  it.each(['--fields=url,title', '--json=url,title'])('exports the columns that %s names', async (option) => {
    const words = [
      'export',
      'prj_1',
      'pages',
      option,
      '--format',
      'csv',
      '--delimiter',
      'tab',
      '--bom',
      '--after',
      '9',
    ];
    const { stdout } = await run(words, { key: 'service_good' });
    const [path, query] = stdout.split('?');
    const sent = { dataset: 'pages', format: 'csv', fields: 'url,title', after: '9', bom: 'true', delimiter: 'tab' };
    expect({ path, sent: Object.fromEntries(new URLSearchParams(query)) }).toEqual({
      path: '/v1/projects/prj_1/export',
      sent,
    });
  });

  it('reads the secrets of a connection from a file or standard input, never from an argument', async () => {
    const words = [
      'connections',
      'create',
      'postgres',
      'Warehouse',
      'host=db.example',
      '--secrets-from',
      '-',
      '--json=sent',
    ];
    const { stdout } = await run(words, { key: 'service_good', input: '{"password":"hunter2"}' });
    expect(JSON.parse(stdout).sent).toEqual({
      provider: 'postgres',
      name: 'Warehouse',
      config: { host: 'db.example' },
      secrets: { password: 'hunter2' },
    });
    for (const input of ['[]', '{"password":1}', 'hunter2']) {
      const refused = await run(words, { key: 'service_good', input });
      expect(refused).toMatchObject({ code: 64, stdout: '', stderr: expect.not.stringContaining('hunter2') });
    }
  });

  it('prints only the named fields of JSON', async () => {
    expect(await run(['whoami', '--json=plan,name'], { key: 'service_good' })).toMatchObject({
      stdout: '{"plan":"free","name":"Harbour"}\n',
    });
  });

  it('prints the URL of the console, of a project, of its run and of the documentation', async () => {
    const { origin } = new URL(baseUrl);
    const opened = async (...args: string[]) => (await run(['open', ...args])).stdout.trim();
    expect(await opened()).toBe(`${origin}/`);
    expect(await opened('prj_1')).toBe(`${origin}/projects/prj_1`);
    expect(await opened('prj_1', 'run_1')).toBe(`${origin}/projects/prj_1/runs/run_1`);
    expect(await opened('--docs')).toBe(`${baseUrl}/docs`);
  });

  it('refuses options that exclude each other', async () => {
    const crawl = await run(['crawl', 'https://a.example/', '--follow', '--detach'], { key: 'service_good' });
    expect(crawl).toMatchObject({ code: 64, stderr: expect.stringContaining('cannot be used with') });
  });

  it('requires --yes off a terminal for what can not be undone', async () => {
    const { code, stderr } = await run(['project', 'delete', 'prj_1'], { key: 'service_good' });
    expect([code, stderr]).toEqual([64, expect.stringContaining('--yes')]);
  });

  it('checks base URL, clock, key and account with doctor', async () => {
    const good = await run(['doctor'], { key: 'service_good' });
    expect(good).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +account +Harbour, plan free, 7 credits left/),
    });
    const wrong = await run(['doctor', '--base-url', baseUrl.replace('/v1', '/v9')], { key: 'service_good' });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/PROBLEM +base URL .* must end in the version prefix/),
    });
  });

  it('prints the projects of an import and their credits a month, and creates nothing', async () => {
    const { code, stdout, stderr } = await run(['import', '-', '--from', 'list', '--schedule', 'daily', '--dry-run'], {
      input: 'https://a.example/x\nhttps://a.example/y\n',
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'name\tseed\tschedule\tpages\tcreditsPerMonth\na.example\thttps://a.example/\tdaily\t2\t60\n',
    });
    expect(stderr).toContain('about 60 credits a month');
  });

  it('prints completion scripts that complete commands and options', async () => {
    const script = join(folder, 'completion.bash');
    writeFileSync(script, (await run(['completion', 'bash'])).stdout);
    const complete = (words: string): string =>
      execFileSync(
        'bash',
        [
          '-c',
          `source ${script}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _tidemark; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(complete('tidemark scr')).toBe('scrape');
    expect(complete('tidemark project d')).toBe('delete dry-run');
    expect(complete('tidemark completion z')).toBe('zsh');
    expect(complete('tidemark import x --from ch')).toBe('changedetection');
    expect(complete('tidemark changes prj_1 --ex')).toBe('--exit-code');
    // Sets PATH in zsh: a function that assigned it would find no programs.
    const zsh = (await run(['completion', 'zsh'])).stdout;
    expect(zsh).toMatch(/^#compdef tidemark\n[\s\S]*compadd -- /);
    expect(zsh).not.toMatch(/\bpath=/);
    expect((await run(['completion', 'fish'])).stdout).toContain(
      "complete -c tidemark -f -n '__fish_use_subcommand' -a scrape",
    );
    expect(await run(['completion', 'csh'])).toMatchObject({ code: 64 });
  });
});

describe('the text of the command line', () => {
  it('shows an edit as word diff', () => {
    const words = [
      { op: '=', text: 'The fee is ' },
      { op: '-', text: '12' },
      { op: '+', text: '14' },
    ] as const;
    const block = {
      op: 'edited',
      section: 'Prices',
      landmark: '',
      before: null,
      after: null,
      words: [...words],
      links: [],
      volatile: false,
      numericOnly: true,
    } as const;
    const change = {
      url: 'https://a.example/',
      kind: 'modified',
      blocks: [block],
      fields: [],
    } as unknown as Parameters<typeof patchOf>[0];
    expect(patchOf(change)).toBe('modified https://a.example/\n@@ Prices @@\nThe fee is [-12-]{+14+}\n');
  });

  it('shows the section of an edit once for all its blocks', () => {
    const block = (section: string, before: string) => ({ section, before, after: null, words: [] });
    const blocks = [block('', 'Skip'), block('', 'Home'), block('Prices', 'A fee')];
    const change = { url: 'https://a.example/', kind: 'removed', blocks, fields: [] };
    const patch = patchOf(change as unknown as Parameters<typeof patchOf>[0]);
    expect(patch).toBe('removed https://a.example/\n@@ @@\n[-Skip-]\n[-Home-]\n@@ Prices @@\n[-A fee-]\n');
  });

  it('reads names and schedules as text, and settings as JSON where they are JSON', () => {
    expect(partsOf(['name=2026', 'schedule=daily', 'retention=30', 'max_pages=5', 'languages=["de"]'])).toEqual({
      name: '2026',
      schedule: 'daily',
      retention: 30,
      config: { max_pages: 5, languages: ['de'] },
    });
  });

  it('names the file of a page without separators of paths, and differently for each URL', () => {
    expect(fileNameOf('https://a.example/../../etc/passwd?x=1', 'md')).toMatch(
      /^a\.example-\.\.-\.\.-etc-passwd-x-1-[0-9a-f]{8}\.md$/,
    );
    expect(fileNameOf('https://a.example/x', 'md')).not.toBe(fileNameOf('https://a.example/x?', 'md'));
    expect(fileNameOf(`https://a.example/${'x'.repeat(500)}`, 'md').length).toBeLessThan(120);
  });
});
