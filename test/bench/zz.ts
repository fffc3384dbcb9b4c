import { readBody } from '../../services/scrape/src/reader/read-body.ts';
import { benchPage } from './page.ts';

const body = Buffer.from(benchPage());
const task = {
  body,
  contentType: 'text/html; charset=utf-8',
  status: 200,
  headers: {},
  askedUrl: 'http://a.test/',
  landedUrl: 'http://a.test/',
  rendered: false,
  onlyMainContent: true,
  minWords: 0,
  formats: ['markdown'],
};
for (let i = 0; i < 300; i++) readBody(task);
const c = process.cpuUsage();
const t = performance.now();
for (let i = 0; i < 300; i++) readBody(task);
const u = process.cpuUsage(c);
console.log('read ms wall', (performance.now() - t) / 300, 'cpu', (u.user + u.system) / 300000);
