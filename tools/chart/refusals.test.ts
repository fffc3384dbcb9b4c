import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { messageOf } from '../../deploy/local/problem.ts';
import { helmPath } from './helm.ts';
import { at, readManifests, yamlReader } from './manifests.ts';
import { CHART, INSTALLATION, renderChart } from './render-chart.ts';

const helm = await helmPath().catch((error: unknown) => {
  console.warn(`SKIPPED, helm can't be had: ${messageOf(error)}`);
  return undefined;
});
const withHelm = helm === undefined ? describe.skip : describe;
const render = (values: Parameters<typeof renderChart>[1]): string => renderChart(helm ?? '', values);

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
      'MAIL_URL',
    ];
    const more = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'FLEET_KEYS', 'GRPC_CALLERS'];
    const secrets = Object.fromEntries([...settings, ...more].map((key) => [key, elsewhere]));
    expect(render({ existingSecret: '', secrets })).toContain('name: stores');
    const { SEALING_KEYS: _, ...incomplete } = secrets;
    expect(() => render({ existingSecret: '', secrets: incomplete })).toThrow('SEALING_KEYS has no Secret');
  });

  it('does not render an image without its digest, unless tags are allowed', () => {
    const { gateway: _, ...others } = INSTALLATION.image.digests;
    expect(() => render({ image: { digests: others } })).toThrow(
      'the image tidemark/gateway has no digest: set image.digests.gateway',
    );
    expect(render({ image: { digests: others, allowTags: true } })).toContain('image: "tidemark/gateway:1.0.0"');
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
