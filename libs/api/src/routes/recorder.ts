import { z } from 'zod';
import { nothing, route } from '../route.ts';
import {
  FoundRecorder,
  NewRecorder,
  PickedElement,
  PlayedActions,
  Recorder,
  RecorderActions,
  RecorderInput,
  RecorderPoint,
  RecorderStep,
} from '../schemas/recorder.ts';

const ofProject = {
  tag: 'Recorder',
  scope: 'write',
  query: nothing,
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
} as const;
const ofRecorder = {
  ...ofProject,
  params: z.strictObject({
    id: z.string().describe('The project, such as prj_01j…'),
    recorder: z.string().describe('The recorder, such as rcs_01j…'),
  }),
} as const;
const FULL = 'The recorder has 50 actions.';

/** Recorders of actions: a live page that one member or key operates. No other reaches it. */
export const recorderRoutes = {
  openRecorder: route({
    ...ofProject,
    id: 'openRecorder',
    method: 'post',
    path: '/projects/{id}/recorder',
    spends: true,
    exampleState: { creditsUsed: 5 },
    summary: 'Open a recorder of actions',
    description:
      'Opens a page in a browser that stays open for five minutes, with the headers, cookies, device and saved login of the project. Its frames are streamed, input is sent to it and recorded as `actions`. A member or key has at most one. It costs as much as a page read with a browser, once; a page that can not be opened is answered with 422 and costs nothing. It ends after a minute without an open stream of frames and without input.',
    refusals: {
      conflict: 'The caller has an open recorder, or all live pages of the deployment are in use.',
    },
    body: NewRecorder,
    responses: { 201: Recorder },
    example: { url: 'https://example.com/search' },
  }),
  findRecorder: route({
    ...ofProject,
    id: 'findRecorder',
    method: 'get',
    path: '/projects/{id}/recorder',
    summary: 'The open recorder of the caller for the project',
    body: nothing,
    responses: { 200: FoundRecorder },
  }),
  streamRecorder: route({
    ...ofRecorder,
    id: 'streamRecorder',
    method: 'get',
    path: '/projects/{id}/recorder/{recorder}/frames',
    summary: 'Frames of the page as server-sent events',
    description:
      'Events: `frame` with `jpeg` (base64 of the viewport) and `url`, at most five a second and only after a change; finally `ended` with `reason`: expired, closed, idle, crashed or shutdown; or `closed` with `code` and `error` if the stream ends before the recorder. A slow client misses frames.',
    body: nothing,
    produces: 'text/event-stream',
    responses: { 200: undefined },
  }),
  sendRecorderInput: route({
    ...ofRecorder,
    id: 'sendRecorderInput',
    method: 'post',
    path: '/projects/{id}/recorder/{recorder}/input',
    summary: 'Send an input to the page and record it',
    description:
      'Waits until the page is stable. Text typed into a password field reaches the page only: it is in no recorded action, log or event. Inputs are performed one after the other.',
    refusals: { conflict: FULL },
    body: RecorderInput,
    responses: { 200: RecorderStep },
    example: { type: 'click', point: { x: 640, y: 120 } },
  }),
  pickElement: route({
    ...ofRecorder,
    id: 'pickElement',
    method: 'post',
    path: '/projects/{id}/recorder/{recorder}/pick',
    summary: 'Selector and text of the element at a point',
    description: 'The element is not operated, and nothing is recorded. Finds selectors on pages that need scripts.',
    body: RecorderPoint,
    responses: { 200: PickedElement },
    example: { x: 640, y: 120 },
  }),
  patchRecorder: route({
    ...ofRecorder,
    id: 'patchRecorder',
    method: 'patch',
    path: '/projects/{id}/recorder/{recorder}',
    summary: 'Replace the recorded actions',
    description: 'The page is not changed.',
    body: RecorderActions,
    responses: { 200: Recorder },
    example: { actions: [{ type: 'click', selector: '#search' }] },
  }),
  playRecorder: route({
    ...ofRecorder,
    id: 'playRecorder',
    method: 'post',
    path: '/projects/{id}/recorder/{recorder}/play',
    summary: 'Play actions on a fresh page',
    description:
      'Opens the first URL of the recorder again without cookies and storage of what happened before, and performs the actions as a capture does. A text of `***` is the stored one of the `actions` of the project. Takes up to two minutes.',
    body: RecorderActions,
    responses: { 200: PlayedActions },
    example: { actions: [{ type: 'click', selector: '#search' }] },
  }),
  closeRecorder: route({
    ...ofRecorder,
    id: 'closeRecorder',
    method: 'delete',
    path: '/projects/{id}/recorder/{recorder}',
    summary: 'Close a recorder',
    description: 'A recorder that has ended is no error.',
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;
