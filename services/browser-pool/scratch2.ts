import { createGuard, parseAllowList, USER_AGENT } from '@tidemark/egress';
import { createLogger } from '@tidemark/service';
import { BrowserProcess } from './src/chromium/browser-process.ts';
import { Activity } from './src/page/activity.ts';
import { Budget } from './src/page/budget.ts';
import { readScript } from './src/page/scripts.ts';
import { settle } from './src/page/settle.ts';
import { wipe } from './src/page/wipe.ts';

const b = await BrowserProcess.launch({
  executablePath: process.env.CHROMIUM_PATH!,
  userAgent: USER_AGENT,
  profileDir: '/tmp/exp/profiles',
  guard: createGuard({ allow: parseAllowList('127.0.0.2') }),
  log: createLogger('x', 'info'),
});
const urls = (await (await fetch('http://127.0.0.2:18080/__urls.txt?kind=page')).text())
  .trim()
  .split('\n')
  .slice(0, 60);
const origin = 'http://127.0.0.2:18080';
const tab = await b.openTab({ workspaceId: 'a', origin });
const sums: Record<string, number[]> = {};
const t = async (k: string, f: () => Promise<unknown>) => {
  const t0 = performance.now();
  const r = await f();
  (sums[k] ??= []).push(performance.now() - t0);
  return r;
};
await tab.block(process.argv[2] !== 'all');
for (let i = 0; i < 50; i++) {
  tab.lane.begin();
  const activity = new Activity(tab.page);
  const budget = new Budget(20000, new AbortController().signal);
  await t('total', async () => {
    await t('navigate', async () => {
      tab.documents.forget();
      return tab.session.send('Page.navigate', { url: urls[i]! });
    });
    await t('dcl', () => tab.documents.until((d) => d.isParsed));
    await t('settle', () => settle(tab, activity, budget, 1500));
    await t('read', () => tab.evaluate(readScript(2e7)));
    await t('disable', () => tab.session.send('Emulation.setScriptExecutionDisabled', { value: true }));
    await t('dom', () =>
      tab.session.send('DOMStorage.clear', { storageId: { securityOrigin: origin, isLocalStorage: false } }),
    );
    await t('blank', async () => {
      const { loaderId } = await tab.session.send('Page.navigate', { url: 'about:blank' });
      await tab.documents.until((d) => d.loaderId === loaderId && d.isLoaded);
    });
    await t('cookies', () => tab.session.send('Network.clearBrowserCookies'));
    await t('cache', () => tab.session.send('Network.clearBrowserCache'));
    await t('storage', () => tab.session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }));
    await t('history', () => tab.session.send('Page.resetNavigationHistory'));
    await t('enable', () => tab.session.send('Emulation.setScriptExecutionDisabled', { value: false }));
  });
  activity.stop();
  tab.lane.end();
}
const q = (a: number[], p: number) => [...a].sort((x, y) => x - y)[Math.floor(a.length * p)]!.toFixed(1);
for (const k in sums) console.log(k.padEnd(10), 'p25', q(sums[k]!, 0.25), 'p50', q(sums[k]!, 0.5));
const open: number[] = [],
  close: number[] = [];
for (let i = 0; i < 12; i++) {
  let t0 = performance.now();
  const x = await b.openTab({ workspaceId: 'b', origin });
  open.push(performance.now() - t0);
  t0 = performance.now();
  await x.close();
  close.push(performance.now() - t0);
}
console.log('openTab p50', q(open, 0.5), 'close', q(close, 0.5));
await b.close();
