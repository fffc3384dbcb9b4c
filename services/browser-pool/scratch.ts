import { start, dial } from '@tidemark/service';
import { BrowserPoolServiceService as face } from '@tidemark/contracts/browser/v1/browser';
import { browserPool } from './src/service.ts';
const running = await start(browserPool, { CHROMIUM_PATH: process.env.CHROMIUM_PATH, TIDEMARK_EGRESS_ALLOW: '127.0.0.2:18080,127.0.0.2:18081', GRPC_LISTEN: '127.0.0.1:0', HTTP_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'info', PROFILE_DIR: '/tmp/exp/profiles' });
const peer = dial('browser-pool', `127.0.0.1:${running.grpcPort}`);
export const render = (url: string, more = {}) => peer.call(face.render, { url, timeoutMs: 20000, screenshot: false, blockResources: false, workspaceId: 'ws1', ...more }, { requestId: 'r' }, { deadlineMs: 40000 });
const urls=(await (await fetch('http://127.0.0.2:18080/__urls.txt?kind=page')).text()).trim().split('\n').slice(0,60);
const r = await render(urls[3]); console.log({ ...r, html: r.html.length, screenshot: r.screenshot.length });
for (let i = 0; i < 5; i++) { const r = await render(urls[4+i], { blockResources: true }); console.log(r.httpStatus, r.html.length, r.renderMs, r.bytesReceived, r.failure); }
const app = (await (await fetch('http://127.0.0.2:18080/__urls.txt?kind=app&reach=all')).text()).trim().split('\n')[0];
const a = await render(app!, { screenshot: true }); console.log({ ...a, html: a.html.length, ready: a.html.includes('data-ready'), screenshot: a.screenshot.length });
console.log(await render('http://127.0.0.1:18080/'), await render('http://127.0.0.2:18090/'), await render('file:///etc/passwd'));
console.log(await peer.call(face.status, {}, { requestId: 'x' }));
await peer.close(); await running.close(); console.log('closed'); setTimeout(()=>{console.log(process.getActiveResourcesInfo());process.exit(0)},1000).unref();
