// Creates the first workspace and a key, and prints the key's secret. Runs as a separate process, so that the supervisor does not
// load gRPC.
import { OPERATOR } from '@tidemark/contracts';
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
const caller = { workspaceId: made.workspace.id, keyId: '', scope: 'admin', projects: [] } as const;
const keyRequest = { name: 'npm start', scopes: ['read', 'write', 'admin'], projects: [] };
const { secret } = await identity.call(Identity.createKey, keyRequest, { requestId, caller });
await identity.close();
process.stdout.write(`${secret}\n`);
