import { describe, expect, it } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { ADDRESS_RANGES, INTERNAL_NAMES, LOOPBACK_SPELLINGS } from '@tidemark/testkit/cases/internal-addresses';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';
import { DRIVER_KINDS } from '../src/configuration/driver-kinds.ts';
import type { DriverKind, TestStep } from '../src/destinations/driver.ts';

/** Notations of internal addresses, and names that resolve to them. */
const INTERNAL_HOSTS = [
  ...casesOf(LOOPBACK_SPELLINGS).map((host) => host.replace(/^\[(.*)\]$/, '$1')),
  ...casesOf(INTERNAL_NAMES),
  ...ADDRESS_RANGES.flatMap(({ refused }) => refused),
  'inside.example',
  'mixed.example',
];

/** Values of a connection of a kind whose server is this host. */
function settingsOf(host: string) {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const config = {
    host,
    port: '443',
    database: 'a',
    user: 'a',
    tls: 'off',
    schema: 'public',
    directory: '',
    host_key: 'SHA256:a',

    endpoint: `https://${bracketed}`,
    region: 'us-east-1',
    bucket: 'exports',
    access_key_id: 'a',

    account: 'exports',
    container: 'exports',
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
      expect(await admitted(kind, INTERNAL_HOSTS)).toEqual([]);
    });
  },
);
