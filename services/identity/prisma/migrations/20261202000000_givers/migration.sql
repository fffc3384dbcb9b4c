-- What a key or person gave ends with the giver: both are found by the giver.
CREATE INDEX "api_keys_created_by_idx" ON "api_keys"("created_by") WHERE "revoked_at" IS NULL;
CREATE INDEX "invites_invited_by_idx" ON "invites"("invited_by") WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- Keys whose maker was revoked before, and keys of those.
WITH RECURSIVE "ended" AS (
  SELECT k.id FROM "api_keys" k JOIN "api_keys" maker ON maker.id = k.created_by WHERE maker.revoked_at IS NOT NULL AND k.revoked_at IS NULL
  UNION
  SELECT k.id FROM "api_keys" k JOIN "ended" e ON e.id = k.created_by WHERE k.revoked_at IS NULL
)
UPDATE "api_keys" SET "revoked_at" = now(), "revoked_by" = "created_by" WHERE id IN (SELECT id FROM "ended");
-- Open invitations of keys that are revoked, or that may not invite: those with an expiry or a rate limit of their own.
UPDATE "invites" i SET "revoked_at" = now() FROM "api_keys" k
  WHERE k.id = i.invited_by AND i.accepted_at IS NULL AND i.revoked_at IS NULL
    AND (k.revoked_at IS NOT NULL OR k.expires_at IS NOT NULL OR k.rpm IS NOT NULL);
