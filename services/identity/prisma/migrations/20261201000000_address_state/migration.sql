-- An address is proven by a message that reached it, or by the sign-in provider, and by nothing else. `email_verified_at` is the time of the proof.
ALTER TABLE "users" ADD COLUMN "address_state" TEXT;

-- Accounts that were made without a mail host were marked as verified at once: both times are equal. Those that the provider made are proven.
-- A sign-on that was bound to such an account later is of the owner of the address; everything else may be of another person.
CREATE TEMPORARY TABLE "bound_later" ON COMMIT DROP AS
  SELECT u.id FROM "users" u WHERE u.email_verified_at <= u.created_at
    AND EXISTS (SELECT FROM "external_identities" e WHERE e.user_id = u.id AND e.created_at > u.created_at);
UPDATE "users" u SET "address_state" = CASE
  WHEN u.email_verified_at IS NULL THEN 'pending'
  WHEN EXISTS (SELECT FROM "audit" a WHERE a.subject_id = u.id AND a.action = 'email.changed') THEN 'unproven'
  WHEN EXISTS (SELECT FROM "audit" a WHERE a.actor_id = u.id AND a.action = 'email.changed') THEN 'unproven'
  WHEN u.email_verified_at > u.created_at THEN 'proven'
  WHEN EXISTS (SELECT FROM "external_identities" e WHERE e.user_id = u.id) THEN 'proven'
  ELSE 'unproven' END;
UPDATE "users" SET "password_hash" = NULL WHERE id IN (SELECT id FROM "bound_later");
DELETE FROM "factors" WHERE user_id IN (SELECT id FROM "bound_later");
DELETE FROM "passkeys" WHERE user_id IN (SELECT id FROM "bound_later");
DELETE FROM "recovery_codes" WHERE user_id IN (SELECT id FROM "bound_later");
UPDATE "sessions" SET "ended_at" = now() WHERE ended_at IS NULL AND user_id IN (SELECT id FROM "bound_later");
UPDATE "api_keys" SET "revoked_at" = now(), "revoked_by" = "created_by" WHERE revoked_at IS NULL AND created_by IN (SELECT id FROM "bound_later");
UPDATE "users" SET "email_verified_at" = NULL WHERE "address_state" = 'unproven';

ALTER TABLE "users" ALTER COLUMN "address_state" SET NOT NULL;
ALTER TABLE "users" ADD CONSTRAINT "users_address_state" CHECK ("address_state" IN ('pending', 'unproven', 'proven')
  AND ("address_state" = 'proven') = ("email_verified_at" IS NOT NULL));
DROP INDEX "users_verified_email_key";
CREATE UNIQUE INDEX "users_email_key" ON "users"("email", "address_state") WHERE "address_state" <> 'pending';
DROP INDEX "users_unverified_idx";
CREATE INDEX "users_pending_idx" ON "users"("created_at") WHERE "address_state" = 'pending';

-- Whether the link was mailed. A link that was handed to the inviter proves no mailbox.
ALTER TABLE "invites" ADD COLUMN "is_mailed" BOOLEAN NOT NULL DEFAULT false;
