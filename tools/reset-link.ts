// `npm run reset-link -- <address>`: prints a link to set a new password, for a fleet without a mail host. The link works once, for 30 minutes.
import { join, resolve } from 'node:path';
import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { asObject, readJson } from '../deploy/local/json-file.ts';
import { operatorPeer } from '../deploy/local/operator-peer.ts';
import { LOOPBACK } from '../deploy/local/ports.ts';

const DATA_DIR = resolve(process.env['TIDEMARK_DATA_DIR'] ?? join(import.meta.dirname, '../.tidemark'));
const [email = ''] = process.argv.slice(2);

async function main(): Promise<string> {
  if (!email.includes('@')) return 'usage: npm run reset-link -- <address of the account>';
  const port = asObject(readJson(join(DATA_DIR, 'ports.json')))['identity.grpc'];
  const { url } = readJson(join(DATA_DIR, 'run.json'));
  if (typeof port !== 'number' || typeof url !== 'string')
    return `no fleet runs on ${DATA_DIR}; start it with npm start`;
  const identity = operatorPeer(DATA_DIR, 'identity', `${LOOPBACK}:${port}`);
  try {
    const { token } = await identity.call(Accounts.makeResetToken, { email }, { requestId: crypto.randomUUID() });
    return token === '' ? `no account has the address ${email}` : `${url}/auth/reset#${token}`;
  } finally {
    await identity.close();
  }
}

console.log(await main());
