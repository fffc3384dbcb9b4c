import { describe, expect, it } from '@jest/globals';
import { classifyAddress } from '@tidemark/egress';
import { needs } from '@tidemark/testkit/needs';
import { messageOf } from '../../deploy/local/problem.ts';
import { readServices } from '../wiring/read-code.ts';
import { helmPath } from './helm.ts';
import { at, list, type Manifest, readManifests, record, yamlReader } from './manifests.ts';
import { renderChart } from './render-chart.ts';

const helm = await helmPath().catch((error: unknown) => {
  console.warn(`helm can not be fetched: ${messageOf(error)}`);
  return undefined;
});
const services = await readServices();
const manifests: Manifest[] = helm === undefined ? [] : readManifests(renderChart(helm), yamlReader());
const ofKind = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind);
const withHelm = (title: string, tests: () => void): void =>
  needs('helm', helm !== undefined, () => describe(title, tests));

const podOf = ({ kind, document }: Manifest): unknown =>
  kind === 'Pod' ? document['spec'] : at(document, 'spec', 'template', 'spec');
const pods = manifests.filter(({ kind }) => ['Deployment', 'Job', 'Pod'].includes(kind));

const CHROMIUM_PROFILE = { type: 'Localhost', localhostProfile: 'tidemark/chromium-seccomp.json' };

withHelm('every pod', () => {
  it.each(pods)('of $name runs an image that is named by its digest', (one) => {
    for (const container of list(podOf(one), 'containers'))
      expect(at(container, 'image')).toMatch(/^tidemark\/[a-z-]+@sha256:[0-9a-f]{64}$/);
  });

  it.each(pods)('of $name keeps to the restricted Pod Security Standard, with a root that is read-only', (one) => {
    const pod = podOf(one);
    expect(at(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: one.component === 'browser-pool' ? CHROMIUM_PROFILE : { type: 'RuntimeDefault' },
    });
    for (const container of list(pod, 'containers'))
      expect(at(container, 'securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it.each(pods)('of $name is given no token, and has bounds', (one) => {
    expect(at(podOf(one), 'automountServiceAccountToken')).toBe(false);
    for (const container of list(podOf(one), 'containers'))
      for (const bound of ['requests', 'limits'])
        expect(at(container, 'resources', bound)).toEqual({ cpu: expect.anything(), memory: expect.anything() });
    for (const volume of list(podOf(one), 'volumes')) expect(at(volume, 'emptyDir', 'sizeLimit')).toBeDefined();
  });

  it.each(ofKind('Deployment'))('of $name is probed, and has longer to end than it pauses', (one) => {
    const [container] = list(podOf(one), 'containers');
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
      at(container, probe, 'httpGet', 'path'),
    );
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
    // 5 s of calls under way, 4 s of captures, 4 s of bus and telemetry.
    const pauseSeconds = Number(at(container, 'lifecycle', 'preStop', 'sleep', 'seconds'));
    expect(Number(at(podOf(one), 'terminationGracePeriodSeconds'))).toBeGreaterThanOrEqual(pauseSeconds + 13);
  });

  it.each(ofKind('Deployment'))('of $name may be lost one at a time', ({ document, component }) => {
    const budget = ofKind('PodDisruptionBudget').find((one) => one.component === component);
    expect(at(budget?.document, 'spec', 'maxUnavailable')).toBe(1);
    expect(at(budget?.document, 'spec', 'selector')).toEqual(at(document, 'spec', 'selector'));
    const labels = record(at(document, 'spec', 'template', 'metadata', 'labels'));
    expect(labels).toMatchObject(record(at(document, 'spec', 'selector', 'matchLabels')));
  });
});

const WEB = ['scrape', 'map', 'browser-pool', 'export', 'delivery'];
const policyOf = (service: string): unknown =>
  ofKind('NetworkPolicy').find(({ name }) => name === `tidemark-${service}`)?.document;
const peers = (service: string, way: 'egress' | 'ingress', side: 'to' | 'from'): unknown[] =>
  list(policyOf(service), 'spec', way).flatMap((rule) => list(rule, side).map((peer) => ({ peer, rule })));
const componentsOf = (found: readonly unknown[]): string[] =>
  found
    .map((one) => at(one, 'peer', 'podSelector', 'matchLabels', 'app.kubernetes.io/component'))
    .filter((name) => typeof name === 'string')
    .sort();

withHelm('the network', () => {
  it('is closed to every pod of the release, but for what is opened', () => {
    expect(at(policyOf('deny'), 'spec')).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/instance': 'tidemark', 'app.kubernetes.io/part-of': 'tidemark' },
      },
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it.each(services)('lets services/$name to the services its addresses name, and to no other', ({ name, calls }) => {
    expect(componentsOf(peers(name, 'egress', 'to'))).toEqual([...calls].sort());
    for (const one of calls) expect(componentsOf(peers(one, 'ingress', 'from'))).toContain(name);
  });

  it.each(services)('lets services/$name reach the stores of its settings, and no other', ({ name, shape }) => {
    const ports: Readonly<Record<string, number>> = {
      DATABASE_URL: 5432,
      NATS_URL: 4222,
      REDIS_URL: 6379,
      BLOB_URL: 443,
    };
    const open = list(policyOf(name), 'spec', 'egress').flatMap((rule) =>
      list(rule, 'ports').map((port) => at(port, 'port')),
    );
    for (const [key, port] of Object.entries(ports)) expect([key, open.includes(port)]).toEqual([key, key in shape]);
  });

  it('is open to named namespaces only', () => {
    const egress = ofKind('NetworkPolicy').flatMap(({ document }) => list(document, 'spec', 'egress'));
    const selectors = egress
      .flatMap((rule) => list(rule, 'to'))
      .map((peer) => at(peer, 'namespaceSelector'))
      .filter((selector) => selector !== undefined);
    expect(egress.filter((rule) => list(rule, 'to').length === 0)).toEqual([]);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors)
      expect(at(selector, 'matchLabels', 'kubernetes.io/metadata.name')).toMatch(/^[a-z-]+$/);
  });

  it.each(services)('lets services/$name to the web only where it reads pages', ({ name }) => {
    // A way to anywhere on every port; a bucket outside the cluster is a way to one port.
    const wide = peers(name, 'egress', 'to').filter(
      (one) => at(one, 'peer', 'ipBlock') !== undefined && at(one, 'rule', 'ports') === undefined,
    );
    expect(wide.length > 0).toBe(WEB.includes(name));
  });

  it.each(WEB)('keeps %s from every address the egress guard refuses as not public', (service) => {
    const blocks = peers(service, 'egress', 'to')
      .map((one) => at(one, 'peer', 'ipBlock'))
      .filter((one) => list(one, 'except').length > 0);
    const ranges = blocks.flatMap((block) => list(block, 'except').map(String));
    expect(blocks.map((block) => at(block, 'cidr'))).toEqual(['0.0.0.0/0', '2000::/3']);
    expect(ranges.filter((range) => classifyAddress(range.replace(/\/.*/, '')).allowed)).toEqual([]);
    for (const own of [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '127.0.0.0/8',
      '100.64.0.0/10',
    ])
      expect(ranges).toContain(own);
  });

  it('lets scrape alone to the CONNECT endpoint of browser-pool', () => {
    const open = list(policyOf('browser-pool'), 'spec', 'ingress').filter(
      (rule) => at(rule, 'ports', 0, 'port') === 'exit-proxy',
    );
    expect(componentsOf(open.flatMap((rule) => list(rule, 'from').map((peer) => ({ peer }))))).toEqual(['scrape']);
    const reaching = services.filter(({ name }) =>
      list(policyOf(name), 'spec', 'egress').some((rule) =>
        list(rule, 'ports').some((port) => at(port, 'port') === 3128),
      ),
    );
    expect(reaching.map(({ name }) => name)).toEqual(['scrape']);
  });

  it('shows the REST interface and the MCP endpoint alone to the outside', () => {
    const open = services.flatMap(({ name }) =>
      list(policyOf(name), 'spec', 'ingress')
        .filter((rule) => at(rule, 'from') === undefined)
        .map((rule) => [name, at(rule, 'ports', 0, 'port')]),
    );
    expect(open).toEqual([
      ['gateway', 'rest'],
      ['mcp', 'rest'],
    ]);
  });
});

withHelm('a release', () => {
  it('migrates before it starts anything, standing on nothing of its own', () => {
    const [job] = ofKind('Job');
    expect(at(job?.document, 'metadata', 'annotations', 'helm.sh/hook')).toBe('pre-install,pre-upgrade');
    expect(
      at(podOf(job ?? { apiVersion: '', kind: '', name: '', component: '', document: {} }), 'serviceAccountName'),
    ).toBeUndefined();
  });

  it('brings no Secret', () => {
    expect(ofKind('Secret')).toEqual([]);
  });
});
