import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { helmEnv } from './helm.ts';

const ROOT = join(import.meta.dirname, '../..');
export const CHART = 'helm/tidemark';

export interface HelmRun {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm on the chart; a minute is far more than it takes. */
export function runHelm(helm: string, args: readonly string[], input = ''): HelmRun {
  const { status, stdout, stderr } = spawnSync(helm, args, {
    cwd: ROOT,
    input,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 32 * 1024 * 1024,
    env: { ...process.env, ...helmEnv() },
  });
  return { ok: status === 0, stdout, stderr };
}

/** Values of the chart. */
export type Values = Readonly<Record<string, unknown> & { image?: object }>;

const IMAGES = [
  'archive',
  'billing',
  'browser-pool',
  'crawl',
  'delivery',
  'diff',
  'export',
  'gateway',
  'identity',
  'map',
  'mcp',
  'projects',
  'scrape',
  'tools',
];

/** What every installation states: its Secret and the digests of its images. */
export const INSTALLATION = {
  existingSecret: 'tidemark',
  image: {
    digests: Object.fromEntries(IMAGES.map((name, index) => [name, `sha256:${String(index).padStart(64, '0')}`])),
  },
};

/** Returns values over those of every installation. */
export const installationWith = ({ image, ...values }: Values): Values => ({
  ...INSTALLATION,
  ...values,
  image: { ...INSTALLATION.image, ...image },
});

/** The chart's manifests as text, under values of one's own (JSON is YAML). @throws Error with what helm said */
export function renderChart(helm: string, own: Values = {}): string {
  const values = installationWith(own);
  const args = ['template', 'tidemark', CHART, '--namespace', 'tidemark', '--kube-version', '1.35.0', '--values', '-'];
  const { ok, stdout, stderr } = runHelm(helm, args, JSON.stringify(values));
  if (!ok) throw new Error(stderr);
  return stdout;
}
