import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { messageOf } from '../../deploy/local/problem.ts';
import { helmEnv, helmPath } from './helm.ts';
import { at, readManifests, yamlReader } from './manifests.ts';
import { CHART, INSTALLATION, renderChart } from './render-chart.ts';

const helm = await helmPath().catch((error: unknown) => {
  console.warn(`helm can not be fetched: ${messageOf(error)}`);
  return undefined;
});
const withHelm = (title: string, tests: () => void): void =>
  needs('helm', helm !== undefined, () => describe(title, tests));
const render = (values: Parameters<typeof renderChart>[1]): string => renderChart(helm ?? '', values);

/** The responses of a Kubernetes API that holds one Secret with these keys, or none. */
function clusterResponses(keys: readonly string[] | undefined): Readonly<Record<string, object>> {
  const resource = (name: string, kind: string, namespaced: boolean) => ({ name, kind, namespaced, verbs: ['get'] });
  const resources = [resource('namespaces', 'Namespace', false), resource('secrets', 'Secret', true)];
  const data = Object.fromEntries((keys ?? []).map((key) => [key, 'eA==']));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tidemark' }, data };
  return {
    '/version': { major: '1', minor: '35', gitVersion: 'v1.35.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources },
    '/api/v1/namespaces/kube-system': { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } },
    ...(keys === undefined ? {} : { '/api/v1/namespaces/tidemark/secrets/tidemark': secret }),
  };
}

/** Renders against a cluster whose Secret holds these keys. @returns what helm reports; the cluster has no other kinds */
async function installWith(keys: readonly string[] | undefined): Promise<string> {
  const responses = clusterResponses(keys);
  const absent = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
  const server = createServer((request, response) => {
    const content = responses[(request.url ?? '').split('?', 1)[0] ?? ''];
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content ?? absent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-cluster-'));
  try {
    const bound = server.address();
    const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
    writeFileSync(join(dir, 'kubeconfig'), kubeconfig(url));
    writeFileSync(join(dir, 'values.json'), JSON.stringify(INSTALLATION));
    const args = ['template', 'tidemark', CHART, '--namespace', 'tidemark', '--dry-run=server'];
    const more = [
      '--disable-openapi-validation',
      '--kubeconfig',
      join(dir, 'kubeconfig'),
      '--values',
      join(dir, 'values.json'),
    ];
    const options = { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, ...helmEnv() }, timeout: 60_000 };
    return await promisify(execFile)(helm ?? '', [...args, ...more], options).then(({ stdout }) => stdout, messageOf);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const kubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'c',
  });

withHelm('the chart', () => {
  it('does not render without the Secret that holds passwords and keys, and names what to set', () => {
    expect(() => render({ existingSecret: '' })).toThrow(/[A-Z_]+ has no Secret: set existingSecret to a Secret/);
    const elsewhere = { name: 'stores' };
    const settings = [
      'DATABASE_URL',
      'NATS_URL',
      'REDIS_URL',
      'BLOB_URL',
      'SEALING_KEYS',
      'TIDEMARK_EXITS',
      'HTTPS_PROXY',
      'MAIL_URL',
      'OIDC_CLIENT_SECRET',
      'RAZORPAY_KEY_SECRET',
      'RAZORPAY_WEBHOOK_SECRETS',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRETS',
    ];
    const more = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'FLEET_KEYS', 'GRPC_CALLERS'];
    const secrets = Object.fromEntries([...settings, ...more].map((key) => [key, elsewhere]));
    expect(render({ existingSecret: '', secrets })).toContain('name: stores');
    const { SEALING_KEYS: _, ...incomplete } = secrets;
    expect(() => render({ existingSecret: '', secrets: incomplete })).toThrow('SEALING_KEYS has no Secret');
  });

  it('refuses an installation whose Secret is absent or lacks a setting, and names each of them', async () => {
    const complete = ['DATABASE_URL', 'NATS_URL', 'REDIS_URL', 'BLOB_URL', 'SEALING_KEYS', 'FLEET_KEYS'];
    expect(await installWith(complete)).not.toContain('these settings are missing');
    const missing = await installWith(complete.filter((key) => key !== 'REDIS_URL' && key !== 'SEALING_KEYS'));
    expect(missing).toContain(
      'these settings are missing: REDIS_URL of the Secret tidemark/tidemark, SEALING_KEYS of the Secret tidemark/tidemark.',
    );
    expect(await installWith(undefined)).toMatch(/these settings are missing: .*DATABASE_URL of the Secret/);
  });

  it('does not render an image without its digest, unless tags are allowed', () => {
    const { gateway: _, ...others } = INSTALLATION.image.digests;
    expect(() => render({ image: { digests: others } })).toThrow(
      'the image tidemark/gateway has no digest: set image.digests.gateway',
    );
    expect(render({ image: { digests: others, allowTags: true } })).toContain('image: "tidemark/gateway:1.0.0"');
  });

  it('refuses a sign-in provider that the network policy does not let identity reach', () => {
    const identity = { config: { OIDC_ISSUER: 'https://sso.example', OIDC_CLIENT_ID: 'tidemark' } };
    expect(() => render({ services: { identity } })).toThrow(/OIDC_ISSUER is set, and the network policy of identity/);
    const to = [{ ipBlock: { cidr: '10.9.0.0/24' } }];
    const policyOf = (values: object) =>
      readManifests(render({ services: { identity }, ...values }), yamlReader()).find(
        ({ kind, name }) => kind === 'NetworkPolicy' && name === 'tidemark-identity',
      )?.document;
    expect(at(policyOf({ networkPolicy: { oidc: { ports: [8443], to } } }), 'spec', 'egress')).toContainEqual({
      to,
      ports: [{ protocol: 'TCP', port: 8443 }],
    });
    const onTheWeb = { services: { identity: { ...identity, web: true } } };
    expect(JSON.stringify(policyOf(onTheWeb))).toContain('2000::/3');
    expect(render({ services: { identity }, networkPolicy: { enabled: false } })).not.toContain('NetworkPolicy');
  });

  it('brings the seccomp profile of browser-pool as it is in the repository', () => {
    const file = readFileSync(join(import.meta.dirname, '../..', CHART, 'files/chromium-seccomp.json'), 'utf8');
    const map = readManifests(render({}), yamlReader()).find(({ kind }) => kind === 'ConfigMap');
    expect(at(map?.document, 'data', 'chromium-seccomp.json')).toBe(file);
  });
});

interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly unknown[];
}

describe('the seccomp profile of Chromium', () => {
  const profile: { defaultAction: string; syscalls: readonly SeccompRule[] } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../..', CHART, 'files/chromium-seccomp.json'), 'utf8'),
  );
  const allowed = new Set(
    profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names),
  );

  it('refuses by default, and allows the calls by which Chromium makes its sandbox', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    const unconditional = profile.syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    expect(unconditional).toEqual(expect.arrayContaining(['clone', 'unshare', 'chroot', 'seccomp', 'prctl', 'capset']));
  });

  it.each([
    'mount',
    'umount2',
    'pivot_root',
    'setns',
    'ptrace',
    'process_vm_readv',
    'bpf',
    'perf_event_open',
    'keyctl',
    'init_module',
    'kexec_load',
    'io_uring_setup',
    'userfaultfd',
    'reboot',
    'open_by_handle_at',
  ])('does not allow %s', (name) => expect([...allowed]).not.toContain(name));
});
