import { startFleet } from './fleet.ts';
import { startWeb } from '../web/server.ts';
let t = Date.now();
const lap = (w: string) => { console.log(w, Date.now() - t); t = Date.now(); };
const fleet = await startFleet(); lap('start');
const web = await startWeb();
const { writer } = await fleet.workspaces.make(); lap('workspace');
if (process.argv[2]) { await writer.capture(web.url('/article')); lap('capture'); }
await web.close(); lap('web closed');
await fleet.close(); lap('stopped');
