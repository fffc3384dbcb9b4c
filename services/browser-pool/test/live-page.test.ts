import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Action, ActionKind } from '@tidemark/contracts/browser/v1/browser';
import {
  type LiveEvent,
  type LiveInput,
  type LiveInputResult,
  OpenLivePageRequest,
  LivePageServiceService as Rpc,
} from '@tidemark/contracts/browser/v1/live';
import { eventually, recordConnections, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const CALL = { requestId: 'req_test' };

let internal: Awaited<ReturnType<typeof recordConnections>>;
let site: TestSite;
let pool: TestPool;
const open: string[] = [];
let next = 0;

beforeAll(async () => {
  internal = await recordConnections();
  site = await serveSite({
    '/': `<style>body{margin:0} button, input, select, a, iframe { position: absolute; left: 10px; width: 200px; height: 30px }</style>
      <button id=more style="top:10px" onclick="out.textContent='clicked'"><span>More</span></button>
      <input name=q placeholder="Search" style="top:60px">
      <input type=password name=pass style="top:110px">
      <input id=shown type=text name=field7 style="top:160px">
      <select name=lang style="top:210px" onchange="out.textContent='chose ' + value"><option value=en>English<option value=de>Deutsch</select>
      <iframe style="top:260px" srcdoc="<input style='position:absolute;left:0;top:0'>"></iframe>
      <a style="top:310px" href="/inside">inside</a>
      <a style="top:360px" href="/loop">loop</a>
      <a style="top:10px;left:300px" id=window target=_blank href="/other">in a window</a>
      <output id=out style="position:absolute;top:410px"></output>
      <ul style="position:absolute;top:450px"><li class=item>One</li><li class=item>Two</li><li class=item>Three</li></ul>
      <div style="position:absolute;top:700px;height:3000px">${TEXT}</div>
      <script>const out = document.getElementById('out');
        document.querySelector('#shown').addEventListener('input', (e) => { e.target.type = 'password'; });
        document.querySelector('[name=pass]').addEventListener('dblclick', (e) => { e.target.type = 'text'; });</script>`,
    '/inside': (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${internal.port}/` }).end(),
    '/loads': `${TEXT}<img src="http://127.0.0.1:${internal.port}/pixel"><script>fetch('http://127.0.0.1:${internal.port}/data').catch(() => undefined)</script>`,
    '/other': `<title>Other</title><h1>Other</h1>${TEXT}`,
  });
  pool = await startTestPool([site], { LIVE_PAGES: '2' });
});

afterEach(async () => {
  for (const id of open.splice(0)) await pool.peer.call(Rpc.closeLivePage, { id, workspaceId: 'ws_one' }, CALL);
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([internal?.close(), site?.close()]);
});

async function openPage(path = '/', more: Partial<OpenLivePageRequest> = {}) {
  next += 1;
  const id = `page_${next}`;
  const request = OpenLivePageRequest.fromPartial({
    id,
    workspaceId: 'ws_one',
    url: `${site.url}${path}`,
    device: 'desktop',
    lifetimeMs: 60_000,
    ...more,
  });
  const { page, failure } = await pool.peer.call(Rpc.openLivePage, request, CALL, { deadlineMs: 40_000 });
  if (page !== undefined) open.push(id);
  return { id, page, failure };
}

async function send(id: string, input: LiveInput['input'], workspaceId = 'ws_one'): Promise<LiveInputResult> {
  const request = { id, workspaceId, input: { input } };
  const { result } = await pool.peer.call(Rpc.sendLiveInput, request, CALL, { deadlineMs: 60_000 });
  if (result === undefined) throw new Error('the input has no result');
  return result;
}
const clickAt = (id: string, x: number, y: number) =>
  send(id, { $case: 'click', value: { target: { $case: 'point', value: { x, y } } } });
const type = (id: string, text: string) => send(id, { $case: 'type', value: { text } });
const press = (id: string, key: string) => send(id, { $case: 'press', value: { key } });
async function play(id: string, actions: Action[]) {
  const request = { id, workspaceId: 'ws_one', actions };
  const { result } = await pool.peer.call(Rpc.playLiveActions, request, CALL, { deadlineMs: 130_000 });
  return result?.results;
}
const action = (kind: ActionKind, selector: string, text = '') => ({ kind, selector, text, ms: 0 });

/** Reads events until the test holds; the iteration then ends. */
async function watch(id: string, until: (event: LiveEvent) => boolean, workspaceId = 'ws_one') {
  for await (const { event } of pool.peer.stream(Rpc.watchLivePage, { id, workspaceId }, CALL, {
    deadlineMs: 30_000,
  })) {
    if (event !== undefined && until(event)) return event;
  }
  return undefined;
}
const ended = async (id: string): Promise<string> => {
  const last = await watch(id, ({ event }) => event?.$case === 'ended');
  return last?.event?.$case === 'ended' ? last.event.value : '';
};

describe('a live page', () => {
  it('sends its viewport as JPEGs, the present one first and a new one after a change', async () => {
    const { id, page } = await openPage();
    expect(page).toMatchObject({ url: `${site.url}/`, width: 1280, height: 800, actions: [] });
    const frames: Buffer[] = [];
    const watching = watch(id, ({ event }) => {
      if (event?.$case === 'frame') frames.push(event.value.jpeg);
      return frames.length > 1;
    });
    await eventually(() => frames.length === 1, 20_000);
    await clickAt(id, 50, 25);
    await watching;
    for (const frame of frames) expect(frame.subarray(0, 2).toString('hex')).toBe('ffd8');
    expect(frames[0]?.equals(frames[1] ?? Buffer.alloc(0))).toBe(false);
  });

  it('records clicks, typed text, keys, choices, scrolls and waits as actions with lasting selectors', async () => {
    const { id } = await openPage();
    await clickAt(id, 50, 25);
    await clickAt(id, 50, 75);
    await type(id, 'tides ');
    await press(id, 'x');
    await press(id, 'Backspace');
    await press(id, 'Enter');
    const list = await clickAt(id, 50, 225);
    expect(list.options).toMatchObject({
      selector: 'select[name="lang"]',
      options: [{ value: 'en', selected: true }, { value: 'de' }],
    });
    await send(id, { $case: 'select', value: { selector: 'select[name="lang"]', value: 'de' } });
    await send(id, { $case: 'scroll', value: { to: 'down' } });
    const { actions, unrecorded } = await send(id, { $case: 'wait', value: { ms: 10, selector: '#out' } });
    expect(unrecorded).toBeUndefined();
    expect(actions).toEqual([
      action('click', '#more'),
      action('click', 'input[name="q"]'),
      action('type', 'input[name="q"]', 'tides '),
      action('press', 'input[name="q"]', 'Enter'),
      action('select', 'select[name="lang"]', 'de'),
      action('scroll', '', 'down'),
      { ...action('wait', '#out'), ms: 10 },
    ]);
    const results = await play(id, actions);
    expect(results?.map(({ kind, ok }) => [kind, ok])).toEqual(actions.map(({ kind }) => [kind, true]));
  });

  it('never records text of a password field, or of one that becomes secret', async () => {
    const { id } = await openPage();
    await clickAt(id, 50, 125);
    expect(await type(id, 'hunter2')).toMatchObject({ unrecorded: 'secret' });
    expect(await press(id, 'x')).toMatchObject({ unrecorded: 'secret' });
    expect(await press(id, 'Backspace')).toMatchObject({ unrecorded: 'secret' });
    await clickAt(id, 50, 175);
    expect(await type(id, 'hunter2')).toMatchObject({ unrecorded: 'secret' });
    const { page } = await pool.peer.call(Rpc.getLivePage, { id, workspaceId: 'ws_one' }, CALL);
    expect(JSON.stringify(page)).not.toContain('hunter2');
    expect(page?.actions.filter(({ kind }) => kind === 'type')).toEqual([]);
  });

  it('performs no input in a frame, which a run could not repeat', async () => {
    const { id } = await openPage();
    expect(await clickAt(id, 50, 275)).toMatchObject({ unrecorded: 'unreachable', actions: [] });
    expect(await type(id, 'x')).toMatchObject({ unrecorded: 'no_target', actions: [] });
    // Tab reaches the field of the frame, where text is refused, and leaves it.
    const { actions } = await clickAt(id, 50, 175);
    await press(id, 'Tab');
    expect(await press(id, 'Tab')).toMatchObject({ unrecorded: 'edit' });
    expect(await type(id, 'x')).toMatchObject({ unrecorded: 'unreachable', actions });
    expect(await press(id, 'Tab')).toMatchObject({ unrecorded: 'edit' });
  });

  it('opens a link to a new window in the same view, and when the click is played', async () => {
    const { id } = await openPage();
    expect(await clickAt(id, 350, 25)).toMatchObject({
      url: `${site.url}/other`,
      actions: [{ kind: 'click', selector: '#window' }],
    });
    const { result } = await pool.peer.call(
      Rpc.playLiveActions,
      { id, workspaceId: 'ws_one', actions: [action('click', '#window')] },
      CALL,
      { deadlineMs: 130_000 },
    );
    expect(result).toMatchObject({ url: `${site.url}/other`, results: [{ kind: 'click', ok: true }] });
  });

  it('records no text where nothing has the focus, and states why an input failed', async () => {
    const { id } = await openPage();
    expect(await type(id, 'x')).toMatchObject({ unrecorded: 'no_target', actions: [] });
    const absent = await send(id, { $case: 'wait', value: { ms: 50, selector: '#absent' } });
    expect(absent).toMatchObject({ unrecorded: 'failed', note: 'nothing visible matched in 50 ms', actions: [] });
    await expect(send(id, { $case: 'scroll', value: { to: 'sideways' } })).rejects.toMatchObject({
      code: 'validation',
    });
    await expect(clickAt(id, -1, 5)).rejects.toMatchObject({ code: 'validation' });
  });

  it('returns a selector, the text and similar elements of an element without operating it', async () => {
    const { id } = await openPage();
    const at = (x: number, y: number) =>
      pool.peer.call(Rpc.pickElement, { id, workspaceId: 'ws_one', point: { x, y } }, CALL);
    const { element } = await at(60, 475);
    expect(element).toMatchObject({ tag: 'li', text: 'One', similar: 'li.item', similarCount: 3 });
    expect((await at(50, 25)).element).toMatchObject({ selector: '#more', text: 'More' });
    const { page } = await pool.peer.call(Rpc.getLivePage, { id, workspaceId: 'ws_one' }, CALL);
    expect(page?.actions).toEqual([]);
  });

  it('plays actions in a new context and reports the failed one', async () => {
    const { id } = await openPage();
    await pool.peer.call(Rpc.setLiveActions, { id, workspaceId: 'ws_one', actions: [action('click', '#more')] }, CALL);
    const results = await play(id, [action('click', '#more'), action('click', '#absent'), action('scroll', '', 'top')]);
    expect(results).toMatchObject([{ ok: true }, { ok: false, note: 'nothing matched' }]);
    const { page } = await pool.peer.call(Rpc.getLivePage, { id, workspaceId: 'ws_one' }, CALL);
    expect(page?.actions).toEqual([action('click', '#more')]);
  });
});

describe('the egress of a live page', () => {
  it('refuses internal addresses: of the page, of its requests, of redirects and of links', async () => {
    expect(await openPage('', { url: `http://127.0.0.1:${internal.port}/` })).toMatchObject({ failure: 'egress' });
    expect(await openPage('', { url: 'file:///etc/passwd' })).toMatchObject({ failure: 'egress' });
    expect(await openPage('/inside')).toMatchObject({ failure: 'egress' });
    await openPage('/loads');
    const { id } = await openPage();
    expect(await clickAt(id, 50, 325)).toMatchObject({ failure: 'egress', unrecorded: 'failed', actions: [] });
    expect(internal.count()).toBe(0);
  });
});

describe('the lease of a live page', () => {
  it('is limited in number, per instance, and returned by an idempotent close', async () => {
    const [first] = [await openPage('/other'), await openPage('/other')];
    await expect(openPage('/other')).rejects.toMatchObject({ code: 'conflict' });
    const close = () => pool.peer.call(Rpc.closeLivePage, { id: first.id, workspaceId: 'ws_one' }, CALL);
    await Promise.all([close(), close()]);
    await close();
    expect((await openPage('/other')).page).toBeDefined();
  });

  it('can be used by its workspace only', async () => {
    const { id } = await openPage('/other');
    const other = { id, workspaceId: 'ws_other' };
    await expect(send(id, { $case: 'scroll', value: { to: 'down' } }, 'ws_other')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(watch(id, () => true, 'ws_other')).rejects.toMatchObject({ code: 'not_found' });
    await expect(pool.peer.call(Rpc.getLivePage, other, CALL)).rejects.toMatchObject({ code: 'not_found' });
    await pool.peer.call(Rpc.closeLivePage, other, CALL);
    expect(await pool.peer.call(Rpc.getLivePage, { id, workspaceId: 'ws_one' }, CALL)).toBeDefined();
  });

  it('ends at its deadline, when it is closed and when the browser dies, and watchers get the reason', async () => {
    const brief = await openPage('/other', { lifetimeMs: 2_000 });
    expect(await ended(brief.id)).toBe('expired');
    const closed = await openPage('/other');
    const closing = ended(closed.id);
    await pool.peer.call(Rpc.closeLivePage, { id: closed.id, workspaceId: 'ws_one' }, CALL);
    await closing.catch((error: unknown) => expect(error).toMatchObject({ code: 'not_found' }));
    const dying = await openPage('/other');
    const dead = ended(dying.id);
    for (const pid of pool.browserPids()) process.kill(pid, 'SIGKILL');
    expect(await dead.catch(() => 'crashed')).toBe('crashed');
    await expect(type(dying.id, 'x')).rejects.toMatchObject({ code: 'not_found' });
    expect((await openPage('/other')).page).toBeDefined();
  });

  it('ends after a time without watchers and input', async () => {
    const short = await startTestPool([site], { LIVE_PAGES: '1', LIVE_PAGE_IDLE_SECONDS: '1' });
    try {
      const request = OpenLivePageRequest.fromPartial({
        id: 'p',
        workspaceId: 'ws_one',
        url: `${site.url}/other`,
        device: 'desktop',
        lifetimeMs: 60_000,
      });
      const openOne = () => short.peer.call(Rpc.openLivePage, request, CALL, { deadlineMs: 40_000 });
      await openOne();
      await expect(openOne()).rejects.toMatchObject({ code: 'conflict' });
      await eventually(
        () =>
          openOne().then(
            () => true,
            () => false,
          ),
        20_000,
      );
    } finally {
      await short.close();
    }
  });
});
