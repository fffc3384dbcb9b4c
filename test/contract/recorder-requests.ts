import type { Api } from '../harness/api.ts';
import { NO_RECORDER } from '../harness/paths.ts';
import type { Person } from '../harness/people.ts';
import { makeProject } from '../harness/projects.ts';
import { oncePerWorkspace } from './once.ts';
import type { Good, RouteRequest, TestServers } from './requests.ts';

/** Actions that a recorder can have. */
const MAX_ACTIONS = 50;

interface OpenRecorder {
  /** The person whose recorder it is. */
  readonly api: Person;
  readonly path: string;
}

const aProject = oncePerWorkspace(
  async ({ workspace, web }: TestServers): Promise<string> =>
    `/projects/${(await makeProject(workspace.writer, { seed: web.url('/article') })).id}`,
);

const aMember = ({ people, workspace }: TestServers): Promise<Person> => people.join(workspace, 'member');

async function open(servers: TestServers): Promise<OpenRecorder> {
  const project = await aProject(servers);
  const api = await aMember(servers);
  const { status, text, body } = await api.post(`${project}/recorder`, {});
  if (status !== 201) throw new Error(`no recorder was opened: ${status} ${text}`);
  return { api, path: `${project}/recorder/${(body as { id: string }).id}` };
}

const aRecorder = oncePerWorkspace(open);

const to =
  (end: string, body?: unknown) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const { api, path } = await aRecorder(servers);
    return { api, path: `${path}${end}`, ...(body === undefined ? {} : { body }) };
  };

/** Returns a client that closes the recorder at its first frame, which ends the stream. */
function closingAtFirstFrame({ api, path }: OpenRecorder): Api {
  return {
    ...api,
    async request(method, at) {
      const response = await fetch(`${api.url}/v1${at}`, { method, headers: { cookie: api.jar.cookie } });
      const decoder = new TextDecoder();
      let text = '';
      let isClosing = false;
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (isClosing || !text.includes('event: frame')) continue;
        isClosing = true;
        void api.delete(path);
      }
      const body: unknown = response.status === 200 ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, body };
    },
  };
}

/** Valid requests of the routes of recorders, one for each success status. */
export const goodOfRecorders = {
  openRecorder: {
    201: async (servers) => ({ api: await aMember(servers), path: `${await aProject(servers)}/recorder`, body: {} }),
  },
  findRecorder: { 200: async (servers) => ({ path: `${await aProject(servers)}/recorder` }) },
  streamRecorder: {
    200: async (servers) => {
      const recorder = await open(servers);
      return { api: closingAtFirstFrame(recorder), path: `${recorder.path}/frames` };
    },
  },
  sendRecorderInput: { 200: to('/input', { type: 'scroll', to: 'down' }) },
  pickElement: { 200: to('/pick', { x: 100, y: 100 }) },
  patchRecorder: { 200: to('', { actions: [{ type: 'click', selector: 'h1' }] }) },
  playRecorder: { 200: to('/play', { actions: [{ type: 'scroll', to: 'bottom' }] }) },
  closeRecorder: { 204: async (servers) => ({ path: `${await aProject(servers)}/recorder/${NO_RECORDER}` }) },
} satisfies Readonly<Record<string, Good>>;

/** Requests of the routes of recorders that conflict with the state of the recorder. */
export const conflictsOfRecorders = {
  openRecorder: async (servers: TestServers): Promise<RouteRequest> => {
    const { api, path } = await aRecorder(servers);
    return { api, path: path.slice(0, path.lastIndexOf('/')), body: {} };
  },
  sendRecorderInput: async (servers: TestServers): Promise<RouteRequest> => {
    const { api, path } = await aRecorder(servers);
    const actions = Array.from({ length: MAX_ACTIONS }, () => ({ type: 'click', selector: 'h1' }));
    const { status, text } = await api.patch(path, { actions });
    if (status !== 200) throw new Error(`the actions were not replaced: ${status} ${text}`);
    return { api, path: `${path}/input`, body: { type: 'scroll', to: 'down' } };
  },
} as const;
