import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionKind, RenderResponse } from '@tidemark/contracts/browser/v1/browser';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const OUT = '<output id=out></output>';

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/form': `${TEXT}${OUT}<form action="/found"><input id=q name=q value="ab"><input id=n name=n type=number><textarea id=t name=t></textarea><input id=ro readonly value=fixed>
      <button>Search</button></form><div id=ce contenteditable>so</div><script>
      const keys = []; q.addEventListener('keydown', (e) => keys.push(e.code + (e.isTrusted ? '' : '!')));
      q.addEventListener('input', () => { out.textContent = keys.join(' ') + '|' + q.value; });
      t.addEventListener('input', () => { out.textContent = t.value; });
      ce.addEventListener('input', () => { out.textContent = ce.textContent; });
      n.addEventListener('input', () => { out.textContent = n.value; });</script>`,
    '/found': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<h1>Found ${request.url}</h1>${TEXT}`);
    },
    '/keys': `${TEXT}${OUT}<input id=i><script>
      addEventListener('keydown', (e) => { out.textContent += [e.key, e.code, e.keyCode, e.shiftKey, e.ctrlKey].join(',') + ';'; });</script>`,
  });
  pool = await startTestPool([site], { BROWSER_TABS: '2' });
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
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

describe('the actions type and press', () => {
  it('type after the existing text, key by key', async () => {
    const page = await act('/form', [{ kind: 'type', selector: '#q', text: 'C d!' }]);
    expect(out(page)).toBe('KeyC Space KeyD Digit1|abC d!');
  });

  it.each([
    ['#t', 'line one\nline two, größer 潮', 'line one\nline two, größer 潮'],
    ['#ce', ' it goes', 'so it goes'],
    ['#n', '42', '42'],
  ])('type into %s', async (selector, text, written) => {
    expect(out(await act('/form', [{ kind: 'type', selector, text }]))).toBe(written);
  });

  it('type ten thousand characters in a bounded time', async () => {
    const page = await act('/form', [{ kind: 'type', selector: '#t', text: 'x'.repeat(10_000) }], {
      timeoutMs: 100_000,
    });
    expect(out(page)).toHaveLength(10_000);
  });

  it('fail on an element that accepts no input', async () => {
    const page = await act('/form', [{ kind: 'type', selector: '#ro', text: 'x' }], { timeoutMs: 9_000 });
    expect(page.actions).toMatchObject([{ ok: false, note: 'the element accepts no input' }]);
  });

  it('submit a search with type and Enter, and read the page of results', async () => {
    const page = await act('/form', [
      { kind: 'type', selector: '#q', text: 'c' },
      { kind: 'press', text: 'Enter' },
    ]);
    expect(page.html).toContain('Found /found?q=abc&amp;n=&amp;t=');
    expect(oks(page)).toEqual([true, true]);
  });

  it.each([
    ['Escape', 'Escape,Escape,27,false,false;'],
    ['ArrowDown', 'ArrowDown,ArrowDown,40,false,false;'],
    ['PageDown', 'PageDown,PageDown,34,false,false;'],
    ['a', 'a,KeyA,65,false,false;'],
    ['?', '?,Slash,191,true,false;'],
    ['Control+k', 'k,KeyK,75,false,true;'],
    ['Shift+Tab', 'Tab,Tab,9,true,false;'],
  ])('press the key %s', async (text, seen) => {
    expect(out(await act('/keys', [{ kind: 'press', text }]))).toBe(seen);
  });

  it('press a key on the given element', async () => {
    const page = await act('/form', [{ kind: 'press', selector: '#q', text: 'z' }]);
    expect(out(page)).toBe('KeyZ|abz');
  });

  it('fail for an unknown key', async () => {
    const page = await act('/keys', [{ kind: 'press', text: 'Any' }]);
    expect(page.actions).toMatchObject([{ ok: false, note: 'no key is called "Any"' }]);
  });
});
