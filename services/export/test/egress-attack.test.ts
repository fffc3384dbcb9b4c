import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import type { DriverKind, TestStep } from '../src/destinations/driver.ts';
import { DRIVER_KINDS } from '../src/driver-kinds.ts';

const CORPUS = fileURLToPath(new URL('../../../../shared/corpora/attack/ssrf-addresses.json', import.meta.url));

/** Notations of internal addresses, and names that resolve to them. */
const OWN = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '127.0.0.1.', '0', '0.0.0.0', '::', '::1'],
  ...['::ffff:127.0.0.1', '64:ff9b::7f00:1', 'localhost', 'LOCALHOST', 'a.localhost', '169.254.169.254', 'fd00::1'],
  ...['metadata.google.internal', 'postgres', 'db.svc', 'inside.example', 'mixed.example'],
];

/** Values of a connection of a kind whose server is this host. */
function settingsOf(host: string) {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const config = {
    ...{
      host,
      port: '443',
      database: 'a',
      user: 'a',
      tls: 'off',
      schema: 'public',
      directory: '',
      host_key: 'SHA256:a',
    },
    ...{ endpoint: `https://${bracketed}`, region: 'us-east-1', bucket: 'exports', access_key_id: 'a' },
    ...{ account: 'exports', container: 'exports' },
  };
  return { config, secrets: { password: 'a', secret_access_key: 'a', account_key: 'YQ==', private_key: '' } };
}

/** Returns the steps of a test with a guard that allows nothing and a resolver that answers with internal addresses. */
async function stepsAt(kind: DriverKind, host: string): Promise<TestStep[]> {
  const internal = { address: '10.0.0.1', family: 4 } as const;
  const publicly = { address: '8.8.8.8', family: 4 } as const;
  const guard = createGuard({
    allow: parseAllowList(''),
    resolve: async (name) => (name === 'mixed.example' ? [publicly, internal] : [internal]),
  });
  const steps: TestStep[] = [];
  try {
    const driver = kind.open(settingsOf(host), makeDialTcp(guard, kind.alsoPorts));
    for await (const step of driver.test(kind.modes[0] ?? 'append', AbortSignal.timeout(10_000))) steps.push(step);
  } catch (error) {
    steps.push({ name: 'address', ok: false, message: String(error) });
  }
  return steps;
}

async function admitted(kind: DriverKind, hosts: readonly string[]): Promise<string[]> {
  const passed: string[] = [];
  for (const host of hosts) {
    const [first] = await stepsAt(kind, host);
    if (first?.name !== 'address' || first.ok) passed.push(`${host}: ${JSON.stringify(first)}`);
  }
  return passed;
}

describe.each(DRIVER_KINDS.map((kind) => [kind.kind, kind] as const))(
  'the driver %s opens no connection',
  (_, kind) => {
    it('to an internal address in any notation, nor to a name that resolves to one', async () => {
      expect(await admitted(kind, OWN)).toEqual([]);
    });

    if (existsSync(CORPUS)) {
      it('to an address of ssrf-addresses.json', async () => {
        const {
          cases,
          hosts,
        }: { cases: { addr: string; block: boolean }[]; hosts: { host: string; block: boolean }[] } = JSON.parse(
          readFileSync(CORPUS, 'utf8'),
        );
        const blocked = [
          ...cases.map(({ addr, block }) => [addr, block] as const),
          ...hosts.map((one) => [one.host, one.block] as const),
        ];
        expect(
          await admitted(
            kind,
            blocked.filter(([, isBlocked]) => isBlocked).map(([host]) => host),
          ),
        ).toEqual([]);
      });
    } else it.skip(`to an address of ssrf-addresses.json (corpus absent: ${CORPUS})`, () => undefined);
  },
);
