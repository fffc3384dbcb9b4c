// `npm run tidemark-admin`: commands of an operator on an installation.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isNativeError } from 'node:util/types';
import { AppError } from '@tidemark/errors';
import { DEFAULT_PORT } from '../local/flags.ts';
import { asObject, readJson, writeJson } from '../local/json-file.ts';
import { fleetKeys, sealingKeys } from '../local/local-keys.ts';
import { messageOf, Problem } from '../local/problem.ts';
import { defaultDataDir, ROOT } from '../local/stack-context.ts';
import { deleteOldBackups } from './backup/delete-old-backups.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { takeBackup } from './backup/take-backup.ts';
import { verifyBackup } from './backup/verify-backup.ts';
import { erasePerson } from './erase/erase-person.ts';
import { findTraces } from './erase/find-traces.ts';
import { hasInstallation, type Installation, isConfigured, openInstallation } from './installation.ts';
import { listKeys } from './keys/list-keys.ts';
import { reseal } from './keys/reseal.ts';
import { upgrade } from './upgrade/upgrade.ts';
import {
  lineOf,
  linesOf,
  type ShownWorkspace,
  type Workspaces,
  withWorkspaces,
} from './workspace/administer-workspaces.ts';
import { exportWorkspace } from './workspace/export-workspace.ts';
import { importWorkspace } from './workspace/import-workspace.ts';

export const HELP = `npm run tidemark-admin -- <command>

  backup --to FOLDER [--keep N] [--keys-to FILE] [--trash-hours 24]
      Writes a backup to FOLDER/tidemark-<time> while the fleet runs: database, then bodies. --keep deletes older backups
      after a complete one. --keys-to writes the keys, which are in no backup.
  verify --from FOLDER
      Reads a whole backup: checksums, rows, the hash of every body, and whether each body that a row references is in it. Needs no database.
  restore --from FOLDER [--replace] [--keys-from FILE]
      Restores a backup into an installation whose services are stopped. --replace deletes its data first. JetStream is emptied.
  upgrade --from FOLDER [--port 8787]
      Run in the folder of the new release: stops the release in FOLDER, saves its data, migrates, starts this release, and goes back if a step fails.
  keys
      Lists the sealing keys by fingerprint, with the number of values that each encrypts.
  reseal
      Encrypts every secret with the first key of SEALING_KEYS. Afterwards the other keys can be removed.
  erase-person --address ADDRESS [--with-workspaces]
      Erases a person: account, sessions, memberships, invitations and mails, and the address in audit logs and settings. A person who is the only owner
      of a workspace is refused, unless --with-workspaces deletes these workspaces too.
  workspaces [--q TEXT] [--plan PLAN] [--suspended] [--json]
      Lists workspaces, oldest first, with members, credits left and used this month. --q: a part of the name, an id, or the address of a member.
      --json writes one object a line.
  workspace --of ID [--json]
      Shows one workspace.
  suspend --of ID --reason TEXT
      Suspends a workspace with its sub-accounts: keys and members are refused with the reason, work is cancelled, schedules start no run.
  resume --of ID
      Ends a suspension by the operator. Cancelled work is not started again.
  set-plan --of ID --plan PLAN
      Sets the plan of a workspace and of its sub-accounts; its first period begins now.
  add-credits --of ID --credits N --reason TEXT [--ref REF]
      Adds bought credits; a negative N removes some. A repeated command with the same --ref changes nothing.
  traces --of ID [--text TEXT]
      Searches database, JetStream and Redis for an id (a workspace, project or person) and a text (an address), after an erasure.
  export-workspace --of ID --to FOLDER
      Writes a workspace with its sub-accounts to FOLDER/<id>: rows of all services and the bodies they reference, without people and credits.
  import-workspace --from FOLDER [--keys-from FILE]
      Reads such a folder into this installation, which may run. Ids and API keys stay; secrets are sealed with the key of this installation.
      --keys-from names the keys of the other installation, as backup --keys-to wrote them there.

Commands work on the installation that DATABASE_URL, BLOB_URL, NATS_URL, REDIS_URL and SEALING_KEYS name, otherwise on the data folder
TIDEMARK_DATA_DIR (default .tidemark) of this machine.`;

const OPTIONS = {
  to: { type: 'string' },
  from: { type: 'string' },
  of: { type: 'string' },
  q: { type: 'string' },
  plan: { type: 'string' },
  suspended: { type: 'boolean' },
  json: { type: 'boolean' },
  reason: { type: 'string' },
  credits: { type: 'string' },
  ref: { type: 'string' },
  text: { type: 'string' },
  address: { type: 'string' },
  'with-workspaces': { type: 'boolean' },
  'keys-to': { type: 'string' },
  'keys-from': { type: 'string' },
  'trash-hours': { type: 'string' },
  port: { type: 'string' },
  keep: { type: 'string' },
  replace: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parse>['values'];

/** Reads the command line. @throws Problem for an option that is unknown or lacks its value */
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [what] = messageOf(error).split('. ');
    throw new Problem(`${what}; npm run tidemark-admin -- --help lists the options.`);
  }
}

const say = (line: string): void => console.log(line);

/** The commands by name. Each returns the exit code. */
const COMMANDS: Readonly<Record<string, (values: Values) => Promise<number>>> = {
  async backup(values) {
    const folder = resolve(required(values.to, '--to'));
    const dir = join(folder, `tidemark-${new Date().toISOString().replace(/[:.]/g, '-')}`);
    const trashHours = numberOf(values, 'trash-hours', (hours) => hours > 0, 'a number of hours above 0') ?? 24;
    const keep = numberOf(values, 'keep', isCount, 'a number of backups, 1 or more');
    const installation = await openExisting();
    try {
      const startedAt = performance.now();
      const manifest = await takeBackup({ installation, dir, version: versionOf(), trashHours, say });
      if (values['keys-to'] !== undefined) writeKeys(resolve(values['keys-to']));
      say(`${dir} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      if (keep !== undefined && manifest.isComplete) deleteOldBackups(folder, keep, say);
      if (!manifest.isComplete) say('INCOMPLETE: the bodies were copied later than unreferenced ones are kept.');
      return manifest.isComplete ? 0 : 1;
    } finally {
      await installation.close();
    }
  },

  async verify(values) {
    const { rows, bodies, named, faults } = await verifyBackup(resolve(required(values.from, '--from')));
    say(`${rows} rows, ${bodies} bodies, ${named} of them referenced by rows`);
    for (const fault of faults) say(`FAULT: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  },

  async restore(values) {
    const dir = resolve(required(values.from, '--from'));
    if (values['keys-from'] !== undefined) readKeys(resolve(values['keys-from']));
    const installation = await openInstallation();
    try {
      const startedAt = performance.now();
      const servicesDir = join(ROOT, 'services');
      await restoreBackup({ installation, dir, servicesDir, isReplacing: values.replace ?? false, say });
      say(`restored in ${((performance.now() - startedAt) / 1000).toFixed(1)} s; start the services now`);
      if (installation.dataDir === undefined)
        say('Start them with an empty JetStream (delete the streams EVENTS, WORK and DEAD) and an empty Redis.');
      return 0;
    } finally {
      await installation.close();
    }
  },

  async upgrade(values) {
    const from = resolve(required(values.from, '--from'));
    const dataDir = process.env['TIDEMARK_DATA_DIR'] ? defaultDataDir() : join(from, '.tidemark');
    const port = numberOf(values, 'port', isPort, 'a port from 1 to 65535') ?? DEFAULT_PORT;
    await upgrade({ from, to: ROOT, dataDir, port, say });
    say(`Start it from now on with TIDEMARK_DATA_DIR=${dataDir} npm start`);
    return 0;
  },

  async keys() {
    const installation = await openExisting();
    try {
      for (const line of await listKeys(installation)) say(line);
      return 0;
    } finally {
      await installation.close();
    }
  },

  async reseal() {
    const installation = await openExisting();
    try {
      const { databaseUrl, sealingKeys: keys } = installation;
      const { resealed, lost } = await reseal(databaseUrl, keys, say);
      say(`${resealed} values are sealed with ${keys.fingerprints[0]} now`);
      for (const [place, values] of lost)
        say(`LOST: ${values} values of ${place} are sealed with a key that is not configured`);
      return lost.size === 0 ? 0 : 1;
    } finally {
      await installation.close();
    }
  },

  async 'erase-person'(values) {
    const installation = await openExisting();
    try {
      const address = required(values.address, '--address');
      const erased = await erasePerson(installation, { address, deletesOwned: values['with-workspaces'] ?? false });
      for (const id of erased.userIds) say(`account ${id}: deleted`);
      for (const id of erased.left) say(`workspace ${id}: no member any more`);
      for (const id of erased.deleted) say(`workspace ${id}: deleted; its data is removed within minutes`);
      say(`${erased.mails} mails deleted, ${erased.projects} projects do not name the address any more`);
      const found = await findTraces(installation, [address.trim().toLowerCase()]);
      for (const { place, count } of found) say(`LEFT: ${place}: ${count}`);
      say(found.length === 0 ? 'the address is in no store' : 'backups keep what was erased until they expire');
      return found.length === 0 ? 0 : 1;
    } finally {
      await installation.close();
    }
  },

  async 'export-workspace'(values) {
    const workspaceId = required(values.of, '--of');
    if (!WORKSPACE_ID.test(workspaceId))
      throw new Problem(`--of is ${workspaceId}; expected the id of a workspace, ws_….`);
    const dir = join(resolve(required(values.to, '--to')), workspaceId);
    if (existsSync(dir)) throw new Problem(`${dir} exists; an export is not written over it.`);
    const installation = await openExisting();
    try {
      await exportWorkspace({ installation, workspaceId, dir, version: versionOf(), say });
      say(`${dir}; verify reads it, import-workspace reads it into another installation`);
      return 0;
    } finally {
      await installation.close();
    }
  },

  async 'import-workspace'(values) {
    const dir = resolve(required(values.from, '--from'));
    const sourceKeys = values['keys-from'] === undefined ? '' : keysIn(resolve(values['keys-from']));
    const installation = await openExisting();
    try {
      const ownKeys = isConfigured() ? (process.env['SEALING_KEYS'] ?? '') : sealingKeys(defaultDataDir());
      const imported = await importWorkspace({ installation, ownKeys, sourceKeys, dir, say });
      say(`${imported.workspaceIds.join(', ')} (${imported.name}) imported; its API keys work here`);
      if (imported.members.length > 0) say(`members: ${imported.members.join(', ')}`);
      if (imported.absent.length > 0)
        say(`without a proven account here, to be invited again: ${imported.absent.join(', ')}`);
      if (!imported.hasOwner)
        say('It has no owner here: invite people with an admin key of the workspace, POST /v1/auth/invites.');
      say('Delete the workspace in the other installation now: schedules run in both.');
      return 0;
    } finally {
      await installation.close();
    }
  },

  workspaces: ({ q, plan, suspended, json }) =>
    onWorkspaces(async ({ list }) => {
      for await (const workspace of list({ q, plan, isSuspended: suspended }))
        say(json === true ? JSON.stringify(workspace) : lineOf(workspace));
    }),

  workspace: (values) => printing(values, ({ show }) => show(workspaceIn(values))),

  suspend: (values) =>
    printing(values, ({ suspend }) => suspend(workspaceIn(values), required(values.reason, '--reason'))),

  resume: (values) => printing(values, ({ resume }) => resume(workspaceIn(values))),

  'set-plan': (values) =>
    printing(values, ({ setPlan }) => setPlan(workspaceIn(values), required(values.plan, '--plan'))),

  'add-credits': (values) =>
    printing(values, ({ addCredits }) => {
      const credits = Number(required(values.credits, '--credits'));
      return addCredits(workspaceIn(values), { credits, reason: required(values.reason, '--reason'), ref: values.ref });
    }),

  async traces(values) {
    const installation = await openExisting();
    try {
      const found = await findTraces(installation, [
        required(values.of, '--of'),
        ...(values.text === undefined ? [] : [values.text]),
      ]);
      for (const { place, count } of found) say(`${place}: ${count}`);
      say(found.length === 0 ? 'nothing found' : `${found.length} places`);
      return found.length === 0 ? 0 : 1;
    } finally {
      await installation.close();
    }
  },
};

/** Calls `work` with the workspaces of the installation. @returns the exit code */
async function onWorkspaces(work: (workspaces: Workspaces) => Promise<void>): Promise<number> {
  const installation = await openExisting();
  try {
    await withWorkspaces(installation, work);
    return 0;
  } finally {
    await installation.close();
  }
}

/** As `onWorkspaces`, for one workspace, which is printed. */
const printing = (
  { json = false }: Pick<Values, 'json'>,
  work: (workspaces: Workspaces) => Promise<ShownWorkspace>,
): Promise<number> =>
  onWorkspaces(async (workspaces) => {
    const shown = await work(workspaces);
    say(json ? JSON.stringify(shown) : linesOf(shown).join('\n'));
  });

const workspaceIn = ({ of }: Pick<Values, 'of'>): string => required(of, '--of');

const WORKSPACE_ID = /^ws_[0-9a-z]+$/;
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
const isPort = (value: number): boolean => isCount(value) && value <= 65_535;

/** Opens the installation of a command that reads what is there. @throws Problem if there is none: only a restore creates one */
function openExisting(): Promise<Installation> {
  const dataDir = defaultDataDir();
  if (!isConfigured() && !hasInstallation(dataDir))
    throw new Problem(
      `${dataDir} contains no installation; expected a data folder in TIDEMARK_DATA_DIR, or DATABASE_URL with the settings of the services.`,
    );
  return openInstallation();
}

/** Returns a numeric option; undefined if it is not given. @throws Problem if its value is not what is expected */
function numberOf(
  values: Values,
  name: 'keep' | 'port' | 'trash-hours',
  isValid: (value: number) => boolean,
  expected: string,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!isValid(Number(text))) throw new Problem(`--${name} is ${text}; expected ${expected}.`);
  return Number(text);
}

function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '')
    throw new Problem(`${option} is missing; npm run tidemark-admin -- --help shows where it is needed.`);
  return value;
}

function versionOf(): string {
  const { version } = asObject(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  return String(version);
}

/** Writes the keys of the installation to a file, mode 0600. It belongs to another place than the backups. */
function writeKeys(file: string): void {
  const dataDir = defaultDataDir();
  if (existsSync(file)) throw new Problem(`${file} exists; the keys are not written over it.`);
  writeJson(file, { SEALING_KEYS: sealingKeys(dataDir), FLEET_KEYS: fleetKeys(dataDir) }, 0o600);
  say(`keys: ${file}; keep it apart from the backups`);
}

/** Returns the sealing keys of a file. @throws Problem if it has none */
function keysIn(file: string): string {
  const { SEALING_KEYS: keys } = readJson(file);
  if (typeof keys !== 'string')
    throw new Problem(`${file} holds no SEALING_KEYS; expected a file that backup --keys-to wrote.`);
  return keys;
}

/** Takes the sealing keys of another installation: they are put behind the own ones, which seal. */
function readKeys(file: string): void {
  const keys = keysIn(file);
  if (isConfigured()) {
    process.env['SEALING_KEYS'] = keys;
    return;
  }
  const path = join(defaultDataDir(), 'sealing.json');
  const { keys: own } = readJson(path);
  const all = [...keys.split(','), ...(typeof own === 'string' ? own.split(',') : [])];
  writeJson(path, { keys: [...new Set(all)].join(',') }, 0o600);
}

async function main(): Promise<number> {
  const { values, positionals } = parse(process.argv.slice(2));
  if (values.help === true) {
    say(HELP);
    return 0;
  }
  const [name, ...others] = positionals;
  const command = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  if (command === undefined) {
    const names = Object.keys(COMMANDS).join(', ');
    throw new Problem(
      `${name === undefined ? 'No command is given' : `There is no command ${name}`}; expected one of ${names}, or --help.`,
    );
  }
  if (others.length > 0) throw new Problem(`${name} takes options only, got ${others.join(' ')}; --help lists them.`);
  return command(values);
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(
      error instanceof Problem || error instanceof AppError || !isNativeError(error)
        ? `tidemark-admin: ${messageOf(error)}`
        : error.stack,
    );
    process.exitCode = 1;
  }
}
