import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { choosePorts } from '../../deploy/local/ports.ts';
import { until } from '../harness/until.ts';

/** Whether Debian's package of Prometheus can be fetched and unpacked here. */
export function hasDebianPackages(): boolean {
  try {
    execFileSync('apt-cache', ['show', 'prometheus'], { stdio: 'ignore' });
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface PrometheusTools {
  /** Paths of the programs. */
  readonly prometheus: string;
  readonly promtool: string;
}

/** Fetches Debian's package of Prometheus and unpacks it, without installing it. */
export function fetchPrometheus(folder: string): PrometheusTools {
  mkdirSync(folder, { recursive: true });
  execFileSync('apt-get', ['download', 'prometheus'], { cwd: folder, stdio: 'ignore' });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
  return { prometheus: join(folder, 'usr/bin/prometheus'), promtool: join(folder, 'usr/bin/promtool') };
}

/** A running Prometheus. */
export interface Prometheus {
  /** Returns the series of an expression at this time. @throws Error if Prometheus refuses it */
  query(
    expr: string,
  ): Promise<readonly { readonly metric: Readonly<Record<string, string>>; readonly value: string }[]>;
  close(): void;
}

/** Starts a Prometheus that scrapes these processes, each under the name of its service as `job`, every second. */
export async function startPrometheus(
  { prometheus }: PrometheusTools,
  folder: string,
  targets: Readonly<Record<string, string>>,
): Promise<Prometheus> {
  const port = (await choosePorts(join(folder, 'ports.json'), ['prometheus']))('prometheus');
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: Object.entries(targets).map(([job, target]) => ({
      job_name: job,
      static_configs: [{ targets: [target] }],
    })),
  };
  const file = join(folder, 'prometheus.yaml');
  writeFileSync(file, stringify(config));
  const listen = `127.0.0.1:${port}`;
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=${listen}`,
  ];
  const child = spawn(prometheus, args, { stdio: 'ignore' });
  await until('Prometheus to be ready', async () => (await fetch(`http://${listen}/-/ready`)).ok);
  return {
    async query(expr) {
      const response = await fetch(`http://${listen}/api/v1/query?query=${encodeURIComponent(expr)}`);
      const body: unknown = await response.json();
      const result = body as {
        readonly error?: string;
        readonly data?: { readonly result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      if (result.data === undefined) throw new Error(`${expr}: ${result.error}`);
      return result.data.result.map(({ metric, value: [, value] }) => ({ metric, value }));
    },
    close: () => void child.kill('SIGKILL'),
  };
}
