import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { messageOf } from '../../deploy/local/problem.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { readServices, refused } from '../wiring/read-code.ts';
import { helmPath } from './helm.ts';
import { at, list, type Manifest, manifestTypes, readManifests, record, typeFaults, yamlReader } from './manifests.ts';
import { CHART, INSTALLATION, renderChart, runHelm, type Values } from './render-chart.ts';

const ROOT = join(import.meta.dirname, '../..');
const readYaml = yamlReader();
const [values] = readYaml(readFileSync(join(ROOT, CHART, 'values.yaml'), 'utf8'));
const services = await readServices();

/** Returns undefined, with a line on the console, where something can not be fetched: helm is for x86-64, and both come from the registry. */
async function fetched<T>(what: string, get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    console.warn(`${what} can not be fetched: ${messageOf(error)}`);
    return undefined;
  }
}
const helm = await fetched('helm', () => helmPath());
const types = await fetched('the types of manifests', () => manifestTypes(TOOLS_DIR));

const addressKey = (service: string): string => `${service.toUpperCase().replaceAll('-', '_')}_ADDR`;

describe('the values of the chart', () => {
  it('hold nothing that is secret', () => {
    const set = services.flatMap(({ name }) => {
      const given: Record<string, unknown> = { ...record(at(values, 'services', name, 'config') ?? {}) };
      return Object.entries(given).filter(
        ([key, value]) => value !== null && /URL|KEY|SECRET|TOKEN|PASSWORD|EXITS/.test(key),
      );
    });
    expect(set).toEqual([]);
    expect(JSON.stringify(values)).not.toMatch(/:\/\/[^/@\s"]+:[^/@\s"]+@/);
  });
});

const EVERYTHING = {
  autoscaling: { keda: { enabled: true } },
  blobs: { claim: 'bodies' },
  catalogue: { configMap: 'prices' },
  telemetry: { endpoint: 'http://collector.monitoring:4318' },
  image: { registry: 'registry.example', pullSecrets: [{ name: 'pull' }] },
  ingress: {
    enabled: true,
    className: 'nginx',
    hosts: ['api.example'],
    tls: [{ secretName: 'tls', hosts: ['api.example'] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: { restFrom: [{ namespaceSelector: {} }] },
  services: {
    scrape: {
      config: { MAX_CAPTURES: 1_000_000, TIDEMARK_EGRESS_ALLOW: '10.1.0.0/16' },
      extraEnv: [{ name: 'TZ', value: 'UTC' }],
      extraEgress: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }],
      secrets: { DATABASE_URL: { name: 'scrape-db', key: 'uri' } },
      image: { digest: `sha256:${'0'.repeat(64)}` },
    },
  },
};

const withHelm = (title: string, tests: () => void): void =>
  needs('helm', helm !== undefined, () => describe(title, tests));
const program = helm ?? '';
const render = (own: Values = {}): Manifest[] => readManifests(renderChart(program, own), readYaml);

withHelm('the chart', () => {
  it('passes helm lint in all strictness', () => {
    const { ok, stdout, stderr } = runHelm(
      program,
      ['lint', CHART, '--strict', '--values', '-'],
      JSON.stringify(INSTALLATION),
    );
    expect({ ok, output: ok ? '' : stdout + stderr }).toEqual({ ok: true, output: '' });
  });

  it.each([
    { services: { scrape: { replica: 3 } } },
    { services: { scrape: { config: { 'max captures': 1 } } } },
    { servces: {} },
    { networkPolicy: { stores: { DATABASE_URL: { ports: [5432], to: [] } } } },
    { networkPolicy: { stores: { NATS_URL: { ports: [4222], to: [{ namespaceSelector: {} }] } } } },
    { telemetry: { endpoint: 'http://collector:4318', to: [{ namespaceSelector: {} }] } },
    { image: { digests: { gateway: 'latest' } } },
  ])('refuses values it does not know: %j', (own) => {
    expect(() => render(own)).toThrow(/don't meet the specifications of the schema/);
  });

  needs('kubernetes-types', types !== undefined, () =>
    it('is made of manifests of Kubernetes’ own types, everything switched on or nothing', async () => {
      const all = [...render(), ...render(EVERYTHING)];
      expect(await typeFaults(types ?? '', all)).toBe('');
      const [first] = all.filter(({ kind }) => kind === 'Deployment');
      const misspelt = first && {
        ...first,
        document: { ...first.document, spec: { ...record(first.document['spec']), replica: 2 } },
      };
      expect(await typeFaults(types ?? '', misspelt ? [misspelt] : [])).toMatch(/replica.* does not exist/);
    }),
  );
});

/** A service's container, with what its environment holds in plain and what it takes from Secrets. */
function containerIn(manifests: readonly Manifest[], service: string) {
  const deployment = manifests.find(({ kind, component }) => kind === 'Deployment' && component === service);
  const container = at(deployment?.document, 'spec', 'template', 'spec', 'containers', 0);
  const env = list(container, 'env');
  const plain = env.flatMap((one) =>
    at(one, 'value') === undefined ? [] : [[String(at(one, 'name')), String(at(one, 'value'))]],
  );
  return { container, plain: Object.fromEntries(plain), names: env.map((one) => String(at(one, 'name'))) };
}

withHelm('what services are given', () => {
  const platform = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'TZ'];
  // What is skipped is gathered all the same.
  const rendered = helm === undefined ? [] : [render(), render(EVERYTHING)];

  it.each(services)(
    'gives services/$name every setting it needs, once, with a valid value',
    ({ name, shape, required }) => {
      for (const manifests of rendered) {
        const { names, plain } = containerIn(manifests, name);
        expect(new Set(names).size).toBe(names.length);
        expect(required.filter((key) => !names.includes(key))).toEqual([]);
        expect(names.filter((key) => !(key in shape) && !platform.includes(key))).toEqual([]);
        expect(refused(shape, plain).filter((key) => key in plain)).toEqual([]);
      }
    },
  );

  it.each(services)('points services/$name to a headless Service for each service it calls', ({ name, calls }) => {
    const [manifests = []] = rendered;
    const { plain } = containerIn(manifests, name);
    for (const called of calls) {
      const service = manifests.find(
        ({ kind, name: own }) => kind === 'Service' && own === `tidemark-${called}`,
      )?.document;
      const grpc = list(service, 'spec', 'ports').find((port) => at(port, 'name') === 'grpc');
      expect(at(service, 'spec', 'clusterIP')).toBe('None');
      expect(plain[addressKey(called)]).toBe(`tidemark-${called}:${at(grpc, 'port')}`);
    }
  });

  it.each(services)('every port of services/$name is open in its pod and found by a Service', ({ name, listens }) => {
    const [manifests = []] = rendered;
    const { container } = containerIn(manifests, name);
    const ports = Object.values(listens).sort();
    expect(
      list(container, 'ports')
        .map((port) => at(port, 'containerPort'))
        .sort(),
    ).toEqual(ports);
    const endpoints = manifests.filter(({ kind, component }) => kind === 'Service' && component === name);
    const reached = endpoints.flatMap(({ document }) =>
      list(document, 'spec', 'ports').map((port) => at(port, 'port')),
    );
    expect(reached.sort()).toEqual(ports);
  });

  it('keeps numbers as they were written', () => {
    expect(containerIn(rendered[1] ?? [], 'scrape').plain['MAX_CAPTURES']).toBe('1000000');
  });
});
