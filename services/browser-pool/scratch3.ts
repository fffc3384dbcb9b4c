import { createGuard, parseAllowList, USER_AGENT } from '@tidemark/egress';
import { createLogger } from '@tidemark/service';
import { BrowserProcess } from './src/chromium/browser-process.ts';
import { serveSite } from './test/pool-under-test.ts';
const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const site = await serveSite({
    '/download': (_, response) => void response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('PK'),
    '/to-download': `${TEXT}<script>location.href = '/download'</script>`,
    '/frames': `${TEXT}<script>for (let i = 0; i < 1000; i++) document.body.append(document.createElement('iframe'))</script>`,
    '/flood': (_, response) => {
      response.setHeader('content-type', 'text/html');
      const chunk = `<!--${'x'.repeat(1024 * 1024)}-->`;
      const more = () => { while (!response.destroyed && response.write(chunk)); };
      response.on('drain', more); more();
    },
});
const b = await BrowserProcess.launch({ executablePath: process.env.CHROMIUM_PATH!, userAgent: USER_AGENT, profileDir: '/tmp/exp/profiles', egress: { guard: createGuard({ allow: parseAllowList('127.0.0.2') }), bytesMax: 8e6 }, log: createLogger('x', 'info') });
const tab = await b.openTab({ workspaceId: 'a', origin: site.url });
tab.lane.begin();
const t0 = performance.now(); const log = (...a: unknown[]) => console.log((performance.now() - t0) | 0, ...a);
if (process.argv[3]) { tab.session.on('Page.lifecycleEvent', (e) => log('life', e.frameId === e.frameId && e.name, e.loaderId.slice(0, 4)));
for (const k of ['request', 'response', 'requestfinished', 'requestfailed'] as const) tab.page.on(k, (r: any) => log(k, r.url(), r.failure?.()?.errorText)); }
tab.documents.forget();
log('nav', await tab.session.send('Page.navigate', { url: site.url + process.argv[2] }));
await Promise.race([tab.documents.until((d) => d.isParsed), new Promise(r => setTimeout(r, 5000))]);
log('dcl', tab.documents.current, tab.lane.isOverLimit);
log('eval', await Promise.race([tab.evaluate('document.URL + document.readyState'), new Promise(r => setTimeout(r, 5000, 'late'))]));
await new Promise(r => setTimeout(r, 1000)); log('end', tab.documents.current);
await b.close(); await site.close(); process.exit(0);
