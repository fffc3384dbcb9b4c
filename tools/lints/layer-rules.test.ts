import { describe, expect, it } from '@jest/globals';
import { evaluateRule } from './fixture-tree.ts';
import { LAYER_RULES } from './layer-rules.ts';
import { evaluateRules } from './rule.ts';

/** For each rule: files that keep it, and one that breaks it. */
const CASES: readonly {
  rule: string;
  keeps: Record<string, string>;
  breaks: Record<string, string>;
  expected: string;
}[] = [
  {
    rule: 'services-apart',
    keeps: { 'services/a/src/x.ts': "import './y.ts'; import '@tidemark/errors'; import '@tidemark/a';" },
    breaks: { 'services/a/src/x.ts': "import type { B } from '@tidemark/b';", 'services/b/src/b.ts': '' },
    expected: 'imports services/b/index',
  },
  {
    rule: 'libs-below',
    keeps: { 'libs/a/src/x.ts': "import '@tidemark/b';", 'libs/b/src/b.ts': '' },
    breaks: { 'libs/a/src/x.ts': "export * from '../../../services/b/src/b.ts';" },
    expected: 'imports services/b/src/b.ts',
  },
  {
    rule: 'libs-below',
    keeps: { 'libs/a/x.mjs': "import '@tidemark/b';", 'libs/b/src/b.ts': '' },
    breaks: { 'libs/a/x.mjs': "import { start } from '../../deploy/local/stack.ts';" },
    expected: 'imports deploy/local/stack.ts',
  },
  {
    rule: 'contract-at-the-edge',
    keeps: {
      'services/gateway/src/x.ts': "import { routes } from '@tidemark/api';",
      'services/export/src/x.ts': "import { DATASETS } from '@tidemark/datasets';",
      'libs/api/src/index.ts': "import './routes.ts';",
      'libs/datasets/src/index.ts': '',
    },
    breaks: { 'services/export/src/x.ts': "import type { Sync } from '@tidemark/api';", 'libs/api/src/index.ts': '' },
    expected: 'imports libs/api/index',
  },
  {
    rule: 'firecrawl-contract',
    keeps: {
      'libs/firecrawl/src/x.ts':
        "import { JobEnvelope } from '@tidemark/api'; import './y.ts'; import '@tidemark/errors';",
      'libs/api/src/index.ts': '',
      'libs/errors/src/index.ts': '',
    },
    breaks: { 'libs/firecrawl/src/x.ts': "import type { Express } from 'express';" },
    expected: 'imports npm:express',
  },
  {
    rule: 'packages-alone',
    keeps: { 'packages/cli/src/x.ts': "import './y.ts'; import 'commander';" },
    breaks: { 'packages/cli/src/x.ts': "import '@tidemark/api';", 'libs/api/src/index.ts': '' },
    expected: 'imports libs/api/index',
  },
  {
    rule: 'sdk-portable',
    keeps: { 'packages/sdk/src/x.ts': "import './y.ts';" },
    breaks: { 'packages/sdk/src/x.ts': "import 'node:fs';" },
    expected: 'imports node:fs',
  },
  {
    rule: 'console-public',
    keeps: { 'services/console/src/x.tsx': "import '@tidemark/sdk'; import 'react';", 'packages/sdk/src/index.ts': '' },
    breaks: { 'services/console/src/x.tsx': "import '@tidemark/api';", 'libs/api/src/index.ts': '' },
    expected: 'imports libs/api/index',
  },
  {
    rule: 'console-pages-apart',
    keeps: { 'services/console/src/pages/a/x.tsx': "import './y.ts'; import '../../parts/z.tsx'; import 'react';" },
    breaks: { 'services/console/src/pages/a/x.tsx': "export const view = <b>{await import('../b/y.ts')}</b>;" },
    expected: 'imports services/console/src/pages/b/y.ts',
  },
  {
    rule: 'errors-alone',
    keeps: { 'libs/errors/src/x.ts': "import './y.ts'; import 'node:util';" },
    breaks: { 'libs/errors/src/x.ts': "await import('@tidemark/api');", 'libs/api/src/index.ts': '' },
    expected: 'imports libs/api/index',
  },
  {
    rule: 'web-url-alone',
    keeps: { 'libs/web-url/src/x.ts': "import 'tldts';" },
    breaks: { 'libs/web-url/src/x.ts': "import '@tidemark/errors';", 'libs/errors/src/index.ts': '' },
    expected: 'imports libs/errors/index',
  },
  {
    rule: 'contracts-alone',
    keeps: { 'libs/contracts/src/x.ts': "import './gen/x.ts';" },
    breaks: { 'libs/contracts/src/x.ts': "import '@tidemark/errors';", 'libs/errors/src/index.ts': '' },
    expected: 'imports libs/errors/index',
  },
  {
    rule: 'layout-root',
    keeps: { 'services/diff/src/service.ts': '', 'services/diff/src/records/x.ts': '' },
    breaks: { 'services/diff/src/grpc.ts': '' },
    expected: 'services/diff/src/grpc.ts:1 is none of main.ts, config.ts, service.ts',
  },
  {
    rule: 'layout-messages',
    keeps: {
      'services/diff/src/grpc/x.ts': "import './y.ts'; import { Entry } from '@tidemark/contracts/diff/v1/diff';",
      'libs/contracts/src/index.ts': '',
    },
    breaks: {
      'services/diff/src/records/x.ts': "import type { Entry } from '@tidemark/contracts/diff/v1/diff';",
      'libs/contracts/src/index.ts': '',
    },
    expected: 'imports libs/contracts/diff/v1/diff',
  },
  {
    rule: 'layout-grpc',
    keeps: {
      'services/diff/src/grpc/x.ts': "import './y.ts';",
      'services/diff/src/service.ts': "import './grpc/x.ts';",
    },
    breaks: { 'services/diff/src/records/x.ts': "import { toWire } from '../grpc/x.ts';" },
    expected: 'imports services/diff/src/grpc/x.ts',
  },
  {
    rule: 'layout-events',
    keeps: { 'services/diff/src/service.ts': "import './events/x.ts';" },
    breaks: { 'services/diff/src/records/x.ts': "import '../events/x.ts';" },
    expected: 'imports services/diff/src/events/x.ts',
  },
  {
    rule: 'layout-store',
    keeps: {
      'services/diff/src/store/x.ts': "import '../generated/tables.ts'; import 'kysely'; import '@tidemark/sql';",
      'services/diff/src/domain/x.ts': "import '@tidemark/sql/transitions';",
      'libs/sql/src/index.ts': '',
    },
    breaks: { 'services/diff/src/records/x.ts': "import { sql } from '@tidemark/sql';", 'libs/sql/src/index.ts': '' },
    expected: 'imports libs/sql/index',
  },
  {
    rule: 'domain-imports',
    keeps: {
      'services/a/src/domain/x.ts': "import './y.ts'; import type { P } from '@tidemark/contracts/page/v1/page';",
      'services/a/src/domain/x.test.ts': "import { readPage } from '../content/read-page.ts';",
      'libs/contracts/src/index.ts': '',
    },
    breaks: { 'services/a/src/domain/x.ts': "import { store } from '../store/job-store.ts';" },
    expected: 'imports services/a/src/store/job-store.ts',
  },
  {
    rule: 'domain-imports',
    keeps: {
      'services/a/src/domain/x.ts': "import { AppError } from '@tidemark/errors';",
      'libs/errors/src/index.ts': '',
    },
    breaks: {
      'services/a/src/domain/x.ts': "import { PageRow } from '@tidemark/contracts/page/v1/page';",
      'libs/contracts/src/index.ts': '',
    },
    expected: 'imports libs/contracts/page/v1/page',
  },
  {
    rule: 'domain-pure',
    keeps: { 'services/a/src/domain/x.ts': 'export const due = (now: number) => new Date(now + 5);' },
    breaks: { 'services/a/src/domain/x.ts': 'export const due = () => Date.now() + 5;' },
    expected: 'uses Date.now',
  },
  {
    rule: 'page-reader-pure',
    keeps: {
      'libs/page-reader/src/tree/x.ts': "import 'linkedom'; import '@a/b'; import type { E } from '../options/e.ts';",
    },
    breaks: { 'libs/page-reader/src/tree/x.ts': "import { readFileSync } from 'node:fs';" },
    expected: 'imports node:fs',
  },
  {
    rule: 'black-box',
    keeps: { 'test/e2e/x.test.ts': "import { stack } from '../harness/stack.ts';" },
    breaks: { 'test/e2e/x.test.ts': "import '@tidemark/a';", 'services/a/src/a.ts': '' },
    expected: 'imports services/a/index',
  },
  {
    rule: 'tests-outside',
    keeps: { 'services/a/src/x.test.ts': "import './y.test.ts';", 'services/a/src/x.ts': '' },
    breaks: { 'services/a/src/x.ts': "import { site } from '../test/site.ts';" },
    expected: 'imports services/a/test/site.ts',
  },
  {
    rule: 'declared',
    keeps: {
      'package.json': '{"name":"root","devDependencies":{"jest":"1"}}',
      'libs/a/package.json':
        '{"name":"@tidemark/a","dependencies":{"got":"1"},"devDependencies":{"@types/express":"1"}}',
      'libs/a/src/x.ts':
        "import got from 'got/sub'; import type { R } from 'express'; import 'node:fs'; import './y.ts';",
      'libs/a/src/x.test.ts': "import 'jest';",
      'packages/b/package.json':
        '{"name":"@tidemark/b","scripts":{"bundle":"node b.ts"},"devDependencies":{"got":"1"}}',
      'packages/b/src/x.ts': "import 'got';",
    },
    breaks: {
      'package.json': '{"name":"root","devDependencies":{"jest":"1"}}',
      'libs/a/src/x.ts': "import 'jest';",
    },
    expected: 'imports jest, which libs/a’s package.json does not name',
  },
  {
    rule: 'by-name',
    keeps: {
      'services/a/test/x.ts': "import '../src/y.ts'; import '../../../deploy/local/stack.ts';",
      'tools/x.ts': "import '../deploy/y.ts';",
    },
    breaks: { 'deploy/x.ts': "import '../libs/a/src/y.ts';", 'libs/a/src/y.ts': '' },
    expected: 'reaches into libs/a/src/y.ts',
  },
  {
    rule: 'readable',
    keeps: { 'libs/a/src/x.ts': "await import('./y.ts');" },
    breaks: { 'libs/a/src/x.ts': 'await import(name);' },
    expected: 'imports a module whose name is computed at run time',
  },
];

describe('each layer', () => {
  it.each(CASES)('$rule lets the right import through', ({ rule, keeps }) => {
    expect(evaluateRule(LAYER_RULES, rule, keeps).problems).toEqual([]);
  });

  it.each(CASES)('$rule reports: $expected', ({ rule, breaks, expected }) => {
    expect(evaluateRule(LAYER_RULES, rule, breaks).problems).toEqual([expect.stringContaining(expected)]);
  });

  it('has a case here', () => {
    expect([...new Set(CASES.map(({ rule }) => rule))].sort()).toEqual(LAYER_RULES.map(({ name }) => name).sort());
  });
});

describe('evaluateRules', () => {
  it('fails a rule that no file matches', () => {
    const { problems } = evaluateRule(LAYER_RULES, 'domain-imports', { 'services/a/src/x.ts': '' });
    expect(problems).toEqual([expect.stringContaining('rule domain-imports matched no file')]);
  });

  it('fails an empty tree, and never counts what is generated', () => {
    const tree = {
      root: { dir: '', name: '', dependencies: new Set(''), devDependencies: new Set('') },
      packages: [],
      modules: [],
    };
    expect(evaluateRules(tree, []).problems).toEqual([expect.stringContaining('no source file')]);
  });

  it('counts files, imports and rules, without generated and built ones', () => {
    const evaluation = evaluateRule(LAYER_RULES, 'libs-below', {
      'libs/a/src/x.ts': "import 'a'; import 'b';",
      'libs/a/src/gen/x.ts': "import 'c';",
      'libs/a/dist/x.ts': "import 'c';",
      'libs/a/node_modules/x/x.ts': "import 'c';",
    });
    expect(evaluation).toEqual({ files: 1, imports: 2, rules: 1, problems: [] });
  });
});
