import { describe, expect, it } from '@jest/globals';
import { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import { UpdateProfileRequest } from '@tidemark/contracts/identity/v1/accounts';

/** Field 3 of AuditRecorded, `actor_id`, as an older version or another client may send it: present and empty. */
const EMPTY_ACTOR = Uint8Array.from([26, 0]);

describe('an optional text whose comment says what Absent means', () => {
  it('is not sent where it is empty', () => {
    const sent = (actorId: string | undefined): number =>
      AuditRecorded.encode(AuditRecorded.fromPartial({ actorId })).finish().length;
    expect(sent('')).toBe(sent(undefined));
    expect(sent('usr_1')).toBeGreaterThan(sent(undefined));
  });

  it('is absent where it was sent empty', () => {
    expect(AuditRecorded.decode(EMPTY_ACTOR).actorId).toBeUndefined();
  });

  it('is sent empty where its comment says what Empty means', () => {
    const decoded = UpdateProfileRequest.decode(
      UpdateProfileRequest.encode(UpdateProfileRequest.fromPartial({ language: '' })).finish(),
    );
    expect(decoded.language).toBe('');
  });
});
