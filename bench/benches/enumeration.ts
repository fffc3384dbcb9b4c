// Whether the time of a response reveals that an address has an account: Welch's t over 1,000 requests a side, in turn.
import { startAccounts } from '../../services/identity/test/account-servers.ts';
import { compare, openRequests, REQUESTS } from '../../services/identity/test/enumeration.ts';
import { TestServers } from '../../tools/testing/test-servers.ts';

const only = process.argv.slice(2);
const SAMPLES = Number(process.env['BENCH_SAMPLES'] ?? 1_000);

const servers = await TestServers.listen();
process.env['TEST_SERVERS_URL'] = servers.url;
const accounts = await startAccounts();
try {
  const requests = await openRequests(accounts);
  console.log(`${SAMPLES} requests a side      known, median   unknown, median   Welch’s t`);
  for (const name of REQUESTS.filter((one) => only.length === 0 || only.includes(one))) {
    const { knownMs, unknownMs, t } = compare(await requests.sample(name, SAMPLES));
    console.log(
      `${name.padEnd(26)}${knownMs.toFixed(2)} ms${unknownMs.toFixed(2).padStart(15)} ms${t.toFixed(2).padStart(15)}`,
    );
  }
} finally {
  await accounts.close();
  await servers.close();
}
