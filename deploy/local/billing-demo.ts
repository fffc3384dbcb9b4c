import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainEnv } from './parts/part.ts';
import { choosePorts, LOOPBACK } from './ports.ts';
import { Problem } from './problem.ts';
import { makeDataFolder, ROOT } from './stack-context.ts';

export interface BillingDemo {
  readonly url: string;
  /** Settings of the service billing. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const MAIN = join(ROOT, 'deploy/payment-sandbox/main.ts');
const REAL_KEYS = ['RAZORPAY_KEY_ID', 'RAZORPAY_KEY_SECRET', 'STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'];
const READY_WITHIN_MS = 30_000;

/**
 * Starts the sandbox of a payment gateway in a process of its own, which ends with this one. It keeps its subscriptions in memory.
 * @throws Problem where keys of a real gateway are configured
 */
export async function startBillingDemo(
  { dataDir, restPort }: { readonly dataDir: string; readonly restPort: number },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<BillingDemo> {
  const real = REAL_KEYS.filter((key) => (env[key] ?? '') !== '');
  if (real.length > 0 || !['', 'none'].includes(env['PAYMENT_GATEWAY'] ?? ''))
    throw new Problem(
      `--billing-demo moves no money and is refused beside a real payment gateway; remove ${[...real, 'PAYMENT_GATEWAY'].join(', ')} or the flag.`,
    );
  for (const folder of [dataDir, join(dataDir, 'logs'), join(dataDir, 'tmp')]) makeDataFolder(folder);
  const port = (await choosePorts(join(dataDir, 'billing-demo.json'), ['payment-sandbox']))('payment-sandbox');
  const url = `http://${LOOPBACK}:${port}`;
  const [keyId, keySecret, webhookSecret] = ['rzp_sandbox_demo', secret(), secret()];
  const child = run(dataDir, {
    SANDBOX_LISTEN: `${LOOPBACK}:${port}`,
    SANDBOX_KEY_ID: keyId,
    SANDBOX_KEY_SECRET: keySecret,
    SANDBOX_WEBHOOK_URL: `http://${LOOPBACK}:${restPort}/hooks/payments/razorpay`,
    SANDBOX_WEBHOOK_SECRET: webhookSecret,
    TIDEMARK_EGRESS_ALLOW: `${LOOPBACK}:${restPort}`,
  });
  await untilListening(url, child);
  return {
    url,
    env: {
      PAYMENT_GATEWAY: 'razorpay',
      RAZORPAY_URL: `${url}/v1`,
      RAZORPAY_KEY_ID: keyId,
      RAZORPAY_KEY_SECRET: keySecret,
      RAZORPAY_WEBHOOK_SECRETS: webhookSecret,
      TIDEMARK_EGRESS_ALLOW: `${LOOPBACK}:${port}`,
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(5_000).then(() => child.kill('SIGKILL'))]);
    },
  };
}

const secret = (): string => randomBytes(24).toString('hex');

function run(dataDir: string, env: Readonly<Record<string, string>>): ChildProcess {
  const log = openSync(join(dataDir, 'logs', 'payment-sandbox.log'), 'a');
  try {
    return spawn(process.execPath, ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', MAIN], {
      cwd: dataDir,
      env: plainEnv(join(dataDir, 'tmp'), env),
      // The channel closes when this process ends: the sandbox then ends too.
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

async function untilListening(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
    if (response !== undefined) return;
    await sleep(60);
  }
  child.kill('SIGKILL');
  throw new Problem(
    'The sandbox of the payment gateway did not start; its log is logs/payment-sandbox.log in the data folder.',
  );
}
