import { matchesGlob } from 'node:path';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule, TargetedImport } from './source-tree.ts';

/** Modules that open sockets, as import targets. */
const OPENERS = [
  'node:{http,https,http2,net,tls,dgram,dns}{,/**}',
  'npm:{undici,got,axios,ky,node-fetch,ws,request,superagent,needle}{,/**}',
  'npm:{puppeteer*,playwright*,@playwright/*,proxy-chain,socks*,*-proxy-agent}{,/**}',
  'npm:{@aws-sdk/*,@smithy/*,@nats-io/transport-node,nats,ioredis,redis,pg,mysql2,ssh2,nodemailer}{,/**}',
];

/** Globals that open sockets. */
const GLOBALS = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'globalThis[…]']);

/** Exports of these modules that open no socket and are allowed everywhere. */
const CALCULATION: Readonly<Record<string, readonly string[]>> = {
  'node:net': ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'],
  'node:http': ['STATUS_CODES', 'METHODS', 'validateHeaderName', 'validateHeaderValue'],
  'npm:@smithy/signature-v4': ['SignatureV4'],
  'npm:@smithy/core/checksum': ['Sha256Node'],
};

interface Opening {
  readonly files: string;
  readonly opens: readonly string[];
  readonly because: string;
}

/**
 * The files that may open sockets. Connections to addresses from user input use libs/egress; the other files listen, or
 * connect to servers that the operator configured.
 */
export const OPENINGS: readonly Opening[] = [
  { files: 'libs/egress/**', opens: ['node:*', 'npm:undici', 'npm:got', 'npm:socks'], because: 'the egress guard' },
  {
    files: 'services/export/src/destinations/postgres/**',
    opens: ['npm:pg'],
    because: 'a user’s PostgreSQL, over a socket of libs/egress',
  },
  {
    files: 'services/export/src/destinations/mysql/**',
    opens: ['npm:mysql2/**'],
    because: 'a user’s MySQL or MariaDB, over a socket of libs/egress',
  },
  {
    files: 'services/export/src/destinations/objects/sftp/**',
    opens: ['npm:ssh2'],
    because: 'a user’s SFTP server, over a socket of libs/egress',
  },
  { files: 'libs/service/src/health.ts', opens: ['node:http'], because: 'listens: health and metrics' },
  { files: 'libs/service/src/bus.ts', opens: ['npm:@nats-io/transport-node'], because: 'the operator’s NATS' },
  { files: 'libs/service/src/postgres.ts', opens: ['npm:pg'], because: 'the operator’s PostgreSQL' },
  { files: 'libs/blobs/src/s3/s3-driver.ts', opens: ['npm:@aws-sdk/client-s3'], because: 'the operator’s bucket' },
  { files: 'services/delivery/src/mail/mailer.ts', opens: ['npm:nodemailer'], because: 'the operator’s mail host' },
  { files: 'services/gateway/src/http/serve-http.ts', opens: ['node:http'], because: 'listens: the REST interface' },
  { files: 'services/mcp/src/http/serve-http.ts', opens: ['node:http'], because: 'listens: the MCP endpoint' },
  { files: 'services/gateway/src/service.ts', opens: ['npm:ioredis'], because: 'the operator’s Redis' },
  {
    files: 'services/console/src/api/event-stream.ts',
    opens: ['global:EventSource'],
    because: 'runs in a browser, and connects to its own origin',
  },
  {
    files: 'services/console/src/api/docs-index.ts',
    opens: ['global:fetch'],
    because: 'runs in a browser, and connects to its own origin',
  },
  {
    files: 'libs/web-pages/browser/accounts/call.ts',
    opens: ['global:fetch'],
    because: 'runs in a browser, and connects to its own origin',
  },
  {
    files: 'libs/host-pace/src/{open,redis}-host-limiter.ts',
    opens: ['npm:ioredis'],
    because: 'the operator’s Redis',
  },
  {
    files: 'services/browser-pool/src/chromium/puppeteer.ts',
    opens: ['npm:puppeteer*'],
    because: 'connects to the local Chromium',
  },
  {
    files: 'services/browser-pool/src/egress/**',
    opens: ['node:net'],
    because: 'Chromium’s proxy, which connects through libs/egress',
  },
  {
    files: 'services/browser-pool/src/exits/connect-endpoint.ts',
    opens: ['node:http'],
    because: 'listens: the CONNECT endpoint of exits, which connects through libs/egress',
  },
  {
    files: 'services/browser-pool/src/exits/{open-exits,redis-exit-store}.ts',
    opens: ['npm:ioredis'],
    because: 'the operator’s Redis',
  },
];

const EXEMPT = ['libs/testkit/**'];

const opensSocket = (found: TargetedImport): boolean => {
  if (found.typeOnly || !OPENERS.some((glob) => matchesGlob(found.target, glob))) return false;
  const harmless = CALCULATION[found.target] ?? [];
  return found.names.length === 0 || found.names.some((name) => !harmless.includes(name));
};

/** Returns every import and global of a file that can open a socket. */
function sockets(module: SourceModule): { opens: string; line: number; what: string }[] {
  return [
    ...module.imports
      .filter(opensSocket)
      .map(({ target, line }) => ({ opens: target, line, what: `opens sockets with ${target}` })),
    ...module.globals
      .filter(({ name }) => GLOBALS.has(name))
      .map(({ name, line }) => ({ opens: `global:${name}`, line, what: `opens sockets with the global ${name}` })),
  ];
}

/** Returns sockets that no opening allows, and openings that no file uses. */
export function egressViolations(modules: readonly SourceModule[], openings: readonly Opening[]): Violation[] {
  const used = new Set<Opening>();
  const violations = modules.flatMap((module) =>
    sockets(module).flatMap(({ opens, line, what }) => {
      const opening = openings.find(
        (one) => matchesGlob(module.path, one.files) && one.opens.some((glob) => matchesGlob(opens, glob)),
      );
      if (opening === undefined) return [{ path: module.path, line, what }];
      used.add(opening);
      return [];
    }),
  );
  const idle = openings.filter((opening) => !used.has(opening));
  return [
    ...violations,
    ...idle.map(({ files, opens }) => ({
      path: files,
      line: 1,
      what: `is allowed ${opens.join(', ')} and does not use it: delete the line in tools/lints/egress-rules.ts`,
    })),
  ];
}

export const EGRESS_RULES: readonly Rule[] = [
  {
    name: 'egress',
    reason: 'libs/egress opens the connections; an exception needs a line and a reason in tools/lints/egress-rules.ts',
    files: ['libs/**', 'services/**'],
    except: EXEMPT,
    tests: 'exempt',
    violations: (modules) => egressViolations(modules, OPENINGS),
  },
];
