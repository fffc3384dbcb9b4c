import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ALL_PROJECTS,
  allowsProject,
  highestScope,
  onlyProjects,
  projectLimitOf,
  SCOPES,
  scopeIncludes,
} from './caller.ts';
import { ID_PREFIXES, isId, newId } from './ids.ts';
import { OWN_BEHALF_CALLERS } from './own-behalf-callers.ts';
import { accessFromWire, accessToWire } from './project-access.ts';
import { RPC_CALLERS } from './rpc-callers.ts';
import { confirmationSubject, DEAD_STREAM, EVENT_STREAM, events } from './subjects.ts';

const SERVICES = fileURLToPath(new URL('../../../services', import.meta.url));

describe('an id', () => {
  it.each(ID_PREFIXES)('%s_… is recognized by its own prefix only', (prefix) => {
    const id = newId(prefix);
    expect(ID_PREFIXES.filter((other) => isId(other, id))).toEqual([prefix]);
  });

  it('sorts by creation time', () => {
    const ids = Array.from({ length: 2_000 }, () => newId('job'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is not recognized in any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(isId('job', text)).toBe(false)));
    fc.assert(
      fc.property(fc.nat(29), fc.constantFrom(...'ILOU_-é;%'), (at, char) => {
        const id = newId('job');
        expect(isId('job', `${id.slice(0, at)}${char}${id.slice(at + 1)}`)).toBe(at === 3 && char === '_');
      }),
    );
  });
});

describe('scopes', () => {
  it('include every scope before them', () => {
    for (const [has, name] of SCOPES.entries())
      for (const [needs, other] of SCOPES.entries()) expect(scopeIncludes(name, other)).toBe(has >= needs);
  });

  it('of a key resolve to the highest of them, and to read where none is known', () => {
    fc.assert(
      fc.property(fc.subarray([...SCOPES]), (given) => {
        expect(highestScope(given)).toBe(given.at(-1) ?? 'read');
        expect(highestScope([...given, 'root'].reverse())).toBe(given.at(-1) ?? 'read');
      }),
    );
  });
});

describe('the access to projects', () => {
  it('includes a project if it is in the list or all are, and none if the list is empty', () => {
    expect(allowsProject(ALL_PROJECTS, 'prj_1')).toBe(true);
    expect(allowsProject(onlyProjects(['prj_1']), 'prj_1')).toBe(true);
    expect(allowsProject(onlyProjects(['prj_2']), 'prj_1')).toBe(false);
    expect(allowsProject(onlyProjects([]), 'prj_1')).toBe(false);
    expect(projectLimitOf(onlyProjects([]))).toEqual([]);
    expect(projectLimitOf(ALL_PROJECTS)).toBeUndefined();
  });

  it('is read from its message, and is undefined where the message is absent, empty or has no project', () => {
    for (const access of [ALL_PROJECTS, onlyProjects(['prj_1'])])
      expect(accessFromWire(accessToWire(access))).toEqual(access);
    for (const wire of [undefined, { access: undefined }, accessToWire(onlyProjects([]))])
      expect(accessFromWire(wire)).toBeUndefined();
  });
});

describe('the table of RPCs that services call on their own behalf', () => {
  it('lists services that may call the RPC, sorted', () => {
    for (const [rpc, services] of Object.entries(OWN_BEHALF_CALLERS)) {
      expect(RPC_CALLERS[rpc]).toEqual(expect.arrayContaining([...services]));
      expect(services).toEqual(services.toSorted());
    }
    expect(Object.keys(OWN_BEHALF_CALLERS)).toEqual(Object.keys(OWN_BEHALF_CALLERS).toSorted());
  });
});

describe('the table of events', () => {
  const all = Object.values(events);
  const services = readdirSync(SERVICES);

  it('gives each event a unique subject event.<entity>.<change>', () => {
    expect(new Set(all.map(({ subject }) => subject)).size).toBe(all.length);
    for (const { subject } of all) expect(subject).toMatch(/^event(\.[a-z]+){2}$/);
  });

  it('lists existing services as owners and consumers, and at least one consumer for each event', () => {
    const unconsumed = all.filter(({ consumers }) => consumers.length === 0).map(({ subject }) => subject);
    expect(unconsumed).toEqual([]);
    for (const { owner, consumers } of all) {
      expect(new Set(consumers).size).toBe(consumers.length);
      for (const service of [owner, ...consumers]) expect(services).toContain(service);
    }
  });

  it('keeps events and dead letters in streams that do not overlap', () => {
    const [event, dead] = [EVENT_STREAM.subjects[0], DEAD_STREAM.subjects[0]].map((glob) => glob.replace('>', ''));
    for (const { subject } of all) {
      expect(subject.startsWith(event ?? '?')).toBe(true);
      expect(`dead.${subject}`.startsWith(dead ?? '?')).toBe(true);
      expect(`dead.${subject}`.startsWith(event ?? '?')).toBe(false);
    }
    expect(confirmationSubject('scrape').startsWith(event ?? '?')).toBe(false);
  });

  it.each(all.map((definition) => [definition.subject, definition] as const))(
    '%s decodes to what was encoded',
    (_, { codec }) => {
      const blank = codec.decode(new Uint8Array());
      const bytes = (codec as { encode(message: unknown): { finish(): Uint8Array } }).encode(blank).finish();
      expect(codec.decode(bytes)).toEqual(blank);
    },
  );
});
