import { expect, it } from '@jest/globals';
import { RESERVED_HEADERS as refusedWhenSent } from '@tidemark/egress';
import { RESERVED_HEADERS as refusedWhenSaved } from '@tidemark/project-config';

it('headers that are refused when they are saved are those that the HTTP client refuses to send', () => {
  expect([...refusedWhenSaved].sort()).toEqual([...refusedWhenSent].sort());
});
