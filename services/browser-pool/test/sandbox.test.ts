import { readlinkSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chromiumSandbox } from '../../../deploy/local/parts/chromium.ts';
import { requireSandbox, sandboxProblem } from '../src/chromium/sandbox.ts';
import { renderersIn } from './processes.ts';
import { serveSite, startTestPool } from './test-pool.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The user and network namespaces of a process. */
const namespacesOf = (pid: number): string[] => ['user', 'net'].map((kind) => readlinkSync(`/proc/${pid}/ns/${kind}`));

describe('Chromium’s sandbox', () => {
  it('contains the processes that run pages, wherever the kernel allows it', async () => {
    const site = await serveSite({ '/': '<p>Enough text to be a page. </p><script>0</script>' });
    closing.push(() => site.close());
    const pool = await startTestPool([site]);
    closing.push(() => pool.close());
    expect(await pool.render(`${site.url}/`)).toMatchObject({ httpStatus: 200, failure: undefined });

    const isAvailable = sandboxProblem() === undefined;
    expect(chromiumSandbox()).toBe(isAvailable ? 'on' : 'off');
    const [browser = []] = pool.browserPids().map(namespacesOf);
    const renderers = renderersIn(pool.profileDir).map(namespacesOf);
    expect(renderers.length).toBeGreaterThan(0);
    for (const [user, net] of renderers) {
      expect(user !== browser[0]).toBe(isAvailable);
      expect(net !== browser[1]).toBe(isAvailable);
    }
  });

  it('is required at start: where it is not available, the error states what to do and names the setting', () => {
    const refusal = () => 'unshare: Operation not permitted';
    expect(() => requireSandbox('on', refusal)).toThrow(
      /not available \(unshare: Operation not permitted\); expected .* user namespaces: .*chromium-seccomp\.json.*CHROMIUM_SANDBOX=off/,
    );
    expect(() => requireSandbox('off', refusal)).not.toThrow();
  });

  it('is reported as missing where the kernel allows no user namespaces', () => {
    // The limit of a namespace holds for all namespaces inside it.
    const limited = ['unshare', '--user', '--map-root-user', 'sh', '-c'];
    const close = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    expect(sandboxProblem([...limited, close, 'sh'])).toMatch(/unshare|No space left|not permitted/);
  });
});
