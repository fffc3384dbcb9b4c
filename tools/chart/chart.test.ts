import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { messageOf } from '../../deploy/local/problem.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { readServices, refused } from '../wiring/read-code.ts';
import { helmPath } from './helm.ts';
import {
  at,
  list,
  type Manifest,
  manifestSchemas,
  manifestTypes,
  readManifests,
  record,
  schemaFaults,
  typeFaults,
  yamlReader,
} from './manifests.ts';
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
const schemas = await manifestSchemas();
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
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboards: { enabled: true },
  backup: { enabled: true, claim: 'backups' },
  canary: { enabled: true },
  extraObjects: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' }, data: { a: 'b' } },
  ],
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

/** Kinds that the packages of types have no validator for: those of clouds. */
const FOREIGN = /^networking\.gke\.io\//;

/** The example values, and nothing besides the digests of the images. */
const EXAMPLES = globSync('examples/*.yaml', { cwd: join(ROOT, CHART) }).sort();
const exampleOf = (file: string): Values => record(readYaml(readFileSync(join(ROOT, CHART, file), 'utf8'))[0]);

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
      const all = [...render(), ...render(EVERYTHING), ...EXAMPLES.flatMap((file) => render(exampleOf(file)))];
      expect(
        await typeFaults(
          types ?? '',
          all.filter(({ apiVersion }) => !FOREIGN.test(apiVersion)),
        ),
      ).toBe('');
      const [first] = all.filter(({ kind }) => kind === 'Deployment');
      const misspelt = first && {
        ...first,
        document: { ...first.document, spec: { ...record(first.document['spec']), replica: 2 } },
      };
      expect(await typeFaults(types ?? '', misspelt ? [misspelt] : [])).toMatch(/replica.* does not exist/);
    }),
  );
});

withHelm('the examples of values', () => {
  it('are at least six', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(6));

  needs('kubernetes-types', schemas !== undefined, () =>
    it.each(EXAMPLES)('%s renders manifests that the schemas of Kubernetes accept', async (file) => {
      const manifests = render(exampleOf(file));
      expect(manifests.length).toBeGreaterThan(40);
      const known = manifests.filter(({ apiVersion }) => !FOREIGN.test(apiVersion));
      expect(await schemaFaults(schemas ?? '', known)).toEqual([]);
    }),
  );

  needs('kubernetes-types', schemas !== undefined, () =>
    it('are refused by the schemas of Kubernetes with a number as text', async () => {
      const [deployment] = render().filter(({ kind }) => kind === 'Deployment');
      const spec = { ...record(deployment?.document['spec']), replicas: 'two' };
      const wrong = deployment && { ...deployment, document: { ...deployment.document, spec } };
      expect(await schemaFaults(schemas ?? '', wrong ? [wrong] : [])).toEqual([expect.stringMatching(/replicas/)]);
    }),
  );

  it('on-premises mounts the certificates of the own authority in every service', () => {
    const pods = render(exampleOf('examples/on-premises.yaml')).filter(({ kind }) => kind === 'Deployment');
    for (const { document } of pods) {
      const container = at(document, 'spec', 'template', 'spec', 'containers', 0);
      expect(list(container, 'volumeMounts').map((mount) => at(mount, 'mountPath'))).toContain('/etc/tidemark-ca');
      expect(list(container, 'env').map((entry) => at(entry, 'name'))).toContain('NODE_EXTRA_CA_CERTS');
    }
  });
});

withHelm('backup and restore on Kubernetes', () => {
  const jobOf = (manifests: readonly Manifest[], kind: string) =>
    manifests.find((one) => one.kind === kind && /-(backup|restore)/.test(one.name));

  it('runs backups of the database and the bodies, one at a time, with the settings of the services', () => {
    const cron = jobOf(render({ backup: { enabled: true, claim: 'backups', keep: 3 } }), 'CronJob');
    expect(at(cron?.document, 'spec', 'concurrencyPolicy')).toBe('Forbid');
    const container = at(cron?.document, 'spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers', 0);
    expect(list(container, 'command').join(' ')).toBe(
      'node --conditions=tidemark-source deploy/admin/main.ts backup --to /backup --keep 3 --trash-hours 24',
    );
    expect(list(container, 'env').map((entry) => at(entry, 'name'))).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'BLOB_URL', 'SEALING_KEYS']),
    );
  });

  it('restores while every service has no pod, nothing scales and nothing migrates', () => {
    const manifests = render({ backup: { claim: 'backups' }, restore: { enabled: true, from: 'tidemark-1' } });
    const replicas = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ document }) => at(document, 'spec', 'replicas'));
    expect(new Set(replicas)).toEqual(new Set([0]));
    expect(manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')).toEqual([]);
    expect(manifests.filter(({ kind }) => kind === 'Job').map(({ component }) => component)).toEqual(['restore']);
  });

  it.each([
    [{ backup: { enabled: true } }, /backup\.claim/],
    [{ restore: { enabled: true } }, /restore\.from/],
  ])('refuses %j, and names what is missing', (own, expected) => {
    expect(() => render(own)).toThrow(expected);
  });
});

withHelm('the canary on Kubernetes', () => {
  const manifests = helm === undefined ? [] : render(EVERYTHING);

  it('is scraped like a service, and reaches the gateway with a key from a Secret', () => {
    const service = manifests.find(({ kind, component }) => kind === 'Service' && component === 'canary');
    expect(at(service?.document, 'metadata', 'labels', 'tidemark.dev/face')).toBe('internal');
    const { container } = containerIn(manifests, 'canary');
    expect(list(container, 'command')).toContain('--url=http://tidemark-gateway-rest:8787');
    const key = list(container, 'env').find((entry) => at(entry, 'name') === 'CANARY_KEY');
    expect(at(key, 'valueFrom', 'secretKeyRef', 'key')).toBe('CANARY_KEY');
  });

  it.each(['scrape', 'map', 'delivery'])('may be reached by %s, by its egress guard and its network policy', (name) => {
    expect(containerIn(manifests, name).plain['TIDEMARK_EGRESS_ALLOW']).toMatch(/(^|,)tidemark-canary:8080$/);
    const policy = manifests.find(({ kind, component }) => kind === 'NetworkPolicy' && component === name);
    expect(JSON.stringify(list(policy?.document, 'spec', 'egress'))).toContain(
      '"app.kubernetes.io/component":"canary"',
    );
  });

  it('is absent by default, and no service may reach its port', () => {
    const without = render();
    expect(without.filter(({ component }) => component === 'canary')).toEqual([]);
    expect(JSON.stringify(without.map(({ document }) => document))).not.toContain('canary');
  });
});

withHelm('values that were removed', () => {
  it.each([
    [{ image: { hub: 'registry.example' } }, /image\.hub is no longer a value of this chart: set image\.registry/],
    [{ blobs: { pvc: 'bodies' } }, /blobs\.pvc is no longer .*: set blobs\.claim/],
    [{ migrate: { enabled: true } }, /migrate is no longer .*: set migrations/],
    [{ metrics: { serviceMonitor: true } }, /metrics\.serviceMonitor is no longer .*: set serviceMonitor/],
  ])('stop an upgrade with a sentence: %j', (own, expected) => {
    expect(() => render(own)).toThrow(expected);
  });
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
