// `npm run canary`: measures the time from a change of a page to its webhook, on a running installation.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isNativeError } from 'node:util/types';
import { readJson } from '../local/json-file.ts';
import { messageOf, Problem } from '../local/problem.ts';
import { defaultDataDir } from '../local/stack-context.ts';
import { startCanary } from './run-canary.ts';

const HELP = `npm run canary -- [options]

Changes a page of a site of its own each minute, starts a run of it through the API, and measures when the webhook about the change arrives. The
results are metrics on the port of the site (/metrics); the alert TidemarkCanaryLate watches them.

  --url URL        gateway (default: CANARY_URL, then that of .tidemark/credentials.json)
  --key KEY        API key with the scope admin (default: CANARY_KEY, then that of .tidemark/credentials.json)
  --listen H:P     URL of the site, its receiver and the metrics (default: 127.0.0.1:9466)
  --site URL       address at which the fleet reaches the site (default: that of --listen)
  --every N        seconds between two changes (default: 60)
  --limit N        seconds within which a change must arrive (default: 120)

The fleet must be allowed to reach the site: TIDEMARK_EGRESS_ALLOW of npm start, such as 127.0.0.1:9466.`;

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  listen: { type: 'string' },
  site: { type: 'string' },
  every: { type: 'string' },
  limit: { type: 'string' },
  help: { type: 'boolean' },
} as const;

function parse() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new Problem(`${messageOf(error)}; npm run canary -- --help lists the options.`);
  }
}

function seconds(text: string | undefined, name: string, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value >= 1 && value <= 86_400)) throw new Problem(`--${name} is ${text}; expected seconds from 1 to 86400.`);
  return value;
}

async function main(): Promise<void> {
  const values = parse();
  if (values.help === true) return console.log(HELP);
  const stored = readJson(join(defaultDataDir(), 'credentials.json'));
  const url = values.url ?? process.env['CANARY_URL'] ?? stored['url'];
  const key = values.key ?? process.env['CANARY_KEY'] ?? stored['key'];
  if (typeof url !== 'string' || typeof key !== 'string')
    throw new Problem(
      'There is no gateway or no key; expected --url and --key, or an installation of this machine that runs.',
    );
  const { host, port } = listenOf(values.listen ?? '127.0.0.1:9466');
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const { origin, ended } = await startCanary({
    url: url.replace(/\/(v1\/?)?$/, ''),
    key,
    host,
    port,
    ...(values.site === undefined ? {} : { siteUrl: values.site }),
    everySeconds: seconds(values.every, 'every', 60),
    limitSeconds: seconds(values.limit, 'limit', 120),
    signal: stopping.signal,
    log: (msg, fields = {}) =>
      console.log(JSON.stringify({ time: new Date().toISOString(), service: 'canary', msg, ...fields })),
  });
  console.log(JSON.stringify({ time: new Date().toISOString(), service: 'canary', msg: 'canary started', origin }));
  await ended;
}

function listenOf(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) throw new Problem(`--listen is ${text}; expected host:port.`);
  return { host, port: Number(port) };
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Problem || !isNativeError(error) ? `canary: ${messageOf(error)}` : error.stack);
  process.exitCode = 1;
}
