// Creates the first workspace. With the argument `key` also a key; always the token of a link that makes its first owner, while it has none.
// Prints {key, setupToken} as JSON. Runs as a separate process, so that the supervisor does not load gRPC.
import { ALL_PROJECTS, accessToWire, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { dial, fleetAccess } from '@tidemark/service';

const FIRST_WORKSPACE = 'first-workspace';

const { IDENTITY_ADDR = '', FLEET_KEYS = '' } = process.env;
const identity = dial('identity', IDENTITY_ADDR, fleetAccess(OPERATOR, { ...process.env, FLEET_KEYS }));
const requestId = crypto.randomUUID();
// Idempotent: a second call returns the workspace of the first.
const workspace = { name: 'First workspace', plan: 'self_hosted', idempotencyKey: FIRST_WORKSPACE };
const made = await identity.call(Identity.createWorkspace, workspace, { requestId });
if (made.workspace === undefined) throw new Error('identity answered without a workspace');
const workspaceId = made.workspace.id;
const key = process.argv[2] === 'key' ? await createKey() : '';
const { token } = await identity.call(Accounts.makeSetupToken, { workspaceId }, { requestId });
await identity.close();
process.stdout.write(`${JSON.stringify({ key, setupToken: token })}\n`);

async function createKey(): Promise<string> {
  const caller = onOwnBehalf(OPERATOR, workspaceId);
  const request = { name: 'npm start', scopes: ['read', 'write', 'admin'], access: accessToWire(ALL_PROJECTS) };
  return (await identity.call(Identity.createKey, request, { requestId, caller })).secret;
}
