import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionKind, RenderResponse } from '@tidemark/contracts/browser/v1/browser';
import { recordConnections, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const OUT = '<output id=out></output><style>#out { position: fixed; top: 0 }</style>';

let internal: Awaited<ReturnType<typeof recordConnections>>;
let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  internal = await recordConnections();
  site = await serveSite({
    '/tabs': `${TEXT}${OUT}<style>#b:hover { color: red }</style><div style="height:3000px"></div><button id=b>More</button><script>
      const seen = [];
      for (const type of ['pointerover', 'mousedown', 'mouseup', 'click']) b.addEventListener(type, (e) => {
        seen.push(type + (e.isTrusted ? '' : ' faked'));
        if (type === 'click') setTimeout(() => fetch('/more').then((r) => r.text()).then((t) => {
          out.textContent = seen.join(' ') + ' ' + getComputedStyle(b).color + ' ' + t;
        }), 20);
      });</script>`,
    '/more': (_, response) => void setTimeout(() => response.end('more of it'), 600),
    '/load-more': `${TEXT}<ul id=list></ul><button id=b>Load more</button><script>
      b.onclick = () => fetch('/items?' + list.children.length).then((r) => r.text()).then((t) => { list.insertAdjacentHTML('beforeend', '<li>' + t); });</script>`,
    '/items': (request, response) => void setTimeout(() => response.end(`item ${request.url}`), 300),
    '/link': `${TEXT}<a id=a href="/target">go</a><a id=inside href="http://127.0.0.1:${internal.port}/">in</a><a id=blank target=_blank href="/target">blank</a>`,
    '/target': `<h1>Target</h1>${TEXT}`,
    '/feed': `<div id=feed></div><div id=end style="height:10px"></div><script>
      let n = 0; const add = () => { n++; feed.insertAdjacentHTML('beforeend', '<p style="height:900px">batch ' + n + ' of the feed that goes on</p>'); };
      add();
      new IntersectionObserver((entries) => { if (entries[0].isIntersecting && n < 6) fetch('/poll?' + n).then(add); }).observe(end);</script>`,
    '/endless': `<div id=feed></div><script>
      const add = () => feed.insertAdjacentHTML('beforeend', '<p style="height:3000px">again and again</p>');
      add(); addEventListener('scroll', () => add());</script>`,
    '/poll': (_, response) => response.end('{}'),
    '/box': `${OUT}<style>body { margin: 0; overflow: hidden; height: 100vh } #box { height: 100vh; overflow: auto }</style><div id=box><div style="height:5000px">${TEXT}</div></div><script>
      box.onscroll = () => { out.textContent = 'box ' + box.scrollTop; };</script>`,
    '/far': `${OUT}<div style="height:9000px">${TEXT}</div><b id=far>far</b><script>
      onscroll = () => { out.textContent = 'at ' + Math.round(scrollY); };</script>`,
    '/odd': `${TEXT}<button id=off disabled>off</button><button id=gone style="display:none">gone</button>
      <div style="position:relative"><button id=under>under</button><div id=cover style="position:absolute;inset:0;background:#fff"></div></div>
      <button id=alerts onclick="alert('stop'); this.textContent = 'closed'">alerts</button>
      <button id=hangs onclick="while (true);">hangs</button>`,
    '/appears': `${TEXT}<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<button id=b onclick="this.textContent=String(1+1)">b</button>') }, 1500)</script>`,
    '/spoof': `${TEXT}<button id=real onclick="this.textContent='pressed'">real</button><script>
      document.querySelectorAll = () => []; Document.prototype.querySelectorAll = () => [];
      Element.prototype.checkVisibility = () => false; Document.prototype.elementFromPoint = () => null;</script>`,
  });
  // Most of what a test takes is waiting: the tests of a block run concurrently.
  pool = await startTestPool([site], { BROWSER_TABS: '5' });
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([internal?.close(), site?.close()]);
});

type Step = { kind: ActionKind; selector?: string; text?: string; ms?: number };

const act = (path: string, steps: Step[], more: object = {}): Promise<RenderResponse> =>
  pool.render(`${site.url}${path}`, {
    timeoutMs: 30_000,
    actions: steps.map((step) => ({ selector: '', text: '', ms: 0, ...step })),
    ...more,
  });

const out = ({ html }: RenderResponse): string | undefined => /<output id="out">(.*?)<\/output>/s.exec(html)?.[1];
const oks = ({ actions }: RenderResponse): boolean[] => actions.map(({ ok }) => ok);

describe('the action click', () => {
  it.concurrent('scrolls the element into view, clicks it with the mouse and waits for the effects', async () => {
    const page = await act('/tabs', [{ kind: 'click', selector: '#b' }]);
    expect(out(page)).toBe('pointerover mousedown mouseup click rgb(255, 0, 0) more of it');
    expect(page.actions).toEqual([{ kind: 'click', selector: '#b', ok: true, ms: expect.any(Number), note: '' }]);
  });

  it.concurrent('waits for every response if repeated clicks request the same URL', async () => {
    const page = await act(
      '/load-more',
      Array.from({ length: 4 }, () => ({ kind: 'click', selector: '#b' })),
    );
    expect(page.html.match(/<li>item/g)).toHaveLength(4);
  });

  it.concurrent('reads the page that a link leads to, without a redirect', async () => {
    const page = await act('/link', [{ kind: 'click', selector: '#a' }]);
    expect(page).toMatchObject({ landedUrl: `${site.url}/target`, httpStatus: 200, redirects: [] });
    expect(page.html).toContain('<h1>Target</h1>');
  });

  it.concurrent('fails as egress if a link leads to a refused address', async () => {
    const page = await act('/link', [{ kind: 'click', selector: '#inside' }]);
    expect(page).toMatchObject({ failure: 'egress', html: '' });
    expect(oks(page)).toEqual([true]);
    expect(internal.count()).toBe(0);
  });

  it.concurrent('opens a link with a target in the same tab', async () => {
    const page = await act('/link', [{ kind: 'click', selector: '#blank' }]);
    expect(page).toMatchObject({ landedUrl: `${site.url}/target`, failure: undefined });
  });

  it.concurrent('waits for an element that appears later', async () => {
    expect((await act('/appears', [{ kind: 'click', selector: '#b' }])).html).toContain('>2</button>');
  });

  it.concurrent('finds the element although scripts have replaced DOM functions', async () => {
    expect((await act('/spoof', [{ kind: 'click', selector: '#real' }])).html).toContain('pressed');
  });

  it.concurrent('continues after a click that opens a dialog', async () => {
    expect((await act('/odd', [{ kind: 'click', selector: '#alerts' }])).html).toContain('closed');
  });

  it('ends at the deadline if the click blocks the page', async () => {
    const page = await act('/odd', [{ kind: 'click', selector: '#hangs' }], { timeoutMs: 3_000 });
    expect(page).toMatchObject({ failure: 'timeout' });
  });

  it.concurrent('states why a click failed, skips the remaining actions and reads the page', async () => {
    const reasons = {
      '#missing': 'nothing matched',
      '#gone': 'nothing visible matched',
      '#off': 'the element is disabled',
      '#under': 'the element is covered by another element',
      'b[[': '"b[[" is not a CSS selector',
    };
    // Each waits for the timeout of an action: run concurrently.
    const tried = Object.entries(reasons).map(async ([selector, note]) => {
      const actions: Step[] = [{ kind: 'scroll' }, { kind: 'click', selector }, { kind: 'press', text: 'Enter' }];
      const page = await act('/odd', actions);
      expect(page.actions.slice(1)).toEqual([{ kind: 'click', selector, ok: false, ms: expect.any(Number), note }]);
      expect(page.warnings).toEqual([`actions: click failed, ${note}; the 1 after it were not tried`]);
      expect(page.html).toContain('Enough text');
    });
    await Promise.all(tried);
  });
});

describe('the action scroll', () => {
  it.concurrent('scrolls down and up by a window, to top and bottom, and to an element', async () => {
    expect(out(await act('/far', [{ kind: 'scroll' }]))).toBe('at 800');
    expect(out(await act('/far', [{ kind: 'scroll' }, { kind: 'scroll' }, { kind: 'scroll', text: 'up' }]))).toBe(
      'at 800',
    );
    expect(
      out(
        await act('/far', [
          { kind: 'scroll', text: 'bottom' },
          { kind: 'scroll', text: 'top' },
        ]),
      ),
    ).toBe('at 0');
    const place = out(await act('/far', [{ kind: 'scroll', selector: '#far' }]));
    expect(Number(place?.slice(3))).toBeGreaterThan(8_000);
  });

  it.concurrent('scrolls to the bottom until the page stops growing', async () => {
    const page = await act('/feed', [{ kind: 'scroll', text: 'bottom' }]);
    expect(page.html).toContain('batch 6');
    expect(page.actions).toMatchObject([{ ok: true, note: '' }]);
  });

  it.concurrent('stops after a bounded number of scrolls on an endless page and states that', async () => {
    const page = await act('/endless', [{ kind: 'scroll', text: 'bottom' }], { timeoutMs: 60_000 });
    expect(page.actions).toMatchObject([{ ok: true, note: 'the page was still growing after 20 times' }]);
  });

  it.concurrent('scrolls the scroll container of an app', async () => {
    expect(out(await act('/box', [{ kind: 'scroll' }]))).toMatch(/^box [78]\d\d/);
  });
});

describe('the action wait', () => {
  it.concurrent('waits for a selector, up to a maximum time', async () => {
    expect(oks(await act('/appears', [{ kind: 'wait', selector: '#b', ms: 5_000 }]))).toEqual([true]);
    const page = await act('/appears', [{ kind: 'wait', selector: '#missing', ms: 300 }]);
    expect(page.actions).toMatchObject([{ ok: false, note: 'nothing visible matched in 300 ms' }]);
  });

  it.concurrent('waits for milliseconds', async () => {
    const page = await act('/target', [{ kind: 'wait', ms: 700 }]);
    expect(page.actions[0]?.ms).toBeGreaterThan(690);
  });

  it.concurrent('shortens a wait that exceeds the timeout, and reads the page', async () => {
    const page = await act('/target', [{ kind: 'wait', ms: 60_000 }, { kind: 'scroll' }], { timeoutMs: 3_000 });
    expect(page.html).toContain('<h1>Target</h1>');
    expect(oks(page)).toEqual([true, false]);
  });
});

describe('the validation of actions', () => {
  it.concurrent('rejects a missing selector, an unknown direction and too many actions', async () => {
    await expect(act('/target', [{ kind: 'click' }])).rejects.toMatchObject({ code: 'validation' });
    await expect(act('/target', [{ kind: 'scroll', text: 'sideways' }])).rejects.toMatchObject({ code: 'validation' });
    const many = Array.from({ length: 51 }, () => ({ kind: 'scroll' as const }));
    await expect(act('/target', many)).rejects.toMatchObject({ code: 'validation' });
  });
});
