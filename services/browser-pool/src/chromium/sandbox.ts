import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SANDBOX_SETTINGS = ['on', 'off'] as const;
export type SandboxSetting = (typeof SANDBOX_SETTINGS)[number];

const PROBE_MS = 10_000;
const UNPRIVILEGED_ID = '65534';
/** Chromium refuses a sandbox as root, so root starts it in a user namespace in which it is an ordinary user. */
const ORDINARY_USER = ['unshare', '--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`, '--'];
const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Returns why Chromium's sandbox can not be used here, undefined if it can: creates the namespaces that it needs (user, process ids,
 * network) once. Costs about 10 ms. Kernel settings, seccomp and AppArmor profiles may each forbid them.
 */
export function sandboxProblem(prefix: readonly string[] = isRoot() ? ORDINARY_USER : []): string | undefined {
  const [program = '', ...args] = [...prefix, 'unshare', '--user', '--pid', '--net', '--fork', '--', 'true'];
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: PROBE_MS, cwd: '/' });
    return undefined;
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return text === '' ? `${program} could not be run` : text;
  }
}

/** @throws Error that states what to do, if the sandbox is on and not available */
export function requireSandbox(setting: SandboxSetting, problem: () => string | undefined = sandboxProblem): void {
  const found = setting === 'on' ? problem() : undefined;
  if (found === undefined) return;
  throw new Error(
    `Chromium's sandbox is not available (${found}); expected a kernel and a container that allow unprivileged user namespaces: ` +
      'use the seccomp profile helm/tidemark/files/chromium-seccomp.json, and see the sysctls user.max_user_namespaces and ' +
      'kernel.apparmor_restrict_unprivileged_userns. CHROMIUM_SANDBOX=off runs pages without a sandbox.',
  );
}

/** Returns the program that starts a sandboxed Chromium: its own, as root a script in the profile folder that leaves root first. */
export function sandboxedProgram(executablePath: string, profileDir: string): string {
  if (!isRoot()) return executablePath;
  const script = join(profileDir, 'launch');
  const quoted = `'${executablePath.replaceAll("'", `'\\''`)}'`;
  writeFileSync(script, `#!/bin/sh\nexec ${ORDINARY_USER.join(' ')} ${quoted} "$@"\n`, { mode: 0o700 });
  return script;
}
