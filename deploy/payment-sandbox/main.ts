import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { createLogger, readConfig } from '@tidemark/service';
import { z } from 'zod';
import { startSandbox } from './sandbox-server.ts';

const config = {
  SANDBOX_LISTEN: z.string().regex(/^[^:]+:\d+$/, 'expected host:port'),
  SANDBOX_KEY_ID: z.string().startsWith('rzp_sandbox_', 'expected a key of the sandbox: rzp_sandbox_…'),
  SANDBOX_KEY_SECRET: z.string().min(8),
  SANDBOX_WEBHOOK_URL: z.string().default(''),
  SANDBOX_WEBHOOK_SECRET: z.string().min(8),
  /** Hosts that the messages may be sent to, such as 127.0.0.1:8787. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
} as const;

const settings = readConfig('payment-sandbox', config, process.env);
const [host = '127.0.0.1', port = '0'] = settings.SANDBOX_LISTEN.split(':');
const http = createHttpClient(createGuard({ allow: parseAllowList(settings.TIDEMARK_EGRESS_ALLOW) }));
const log = createLogger('payment-sandbox', 'info');
const sandbox = await startSandbox(
  {
    host,
    port: Number(port),
    keyId: settings.SANDBOX_KEY_ID,
    keySecret: settings.SANDBOX_KEY_SECRET,
    webhookUrl: settings.SANDBOX_WEBHOOK_URL,
    webhookSecret: settings.SANDBOX_WEBHOOK_SECRET,
  },
  { http, log },
);
log.info({ url: sandbox.url }, 'payment sandbox is listening; it moves no money');
const stop = (): void => void sandbox.close().then(() => http.close());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
// The process that started this one has ended.
process.once('disconnect', stop);
