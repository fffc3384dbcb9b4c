-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "identity";

-- CreateTable
CREATE TABLE "workspaces" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    -- Version of the change of billing that `plan` is from.
    "plan_version" BIGINT NOT NULL DEFAULT 0,
    "max_rpm" INTEGER,
    "idempotency_key" TEXT,
    "require_second_factor" BOOLEAN NOT NULL DEFAULT false,
    "parent_id" TEXT,
    "suspended_at" TIMESTAMPTZ(3),
    -- When it was last suspended; kept after the suspension was lifted.
    "last_suspended_at" TIMESTAMPTZ(3),
    -- Credits a sub-account may spend in a month; 0: no cap.
    "cap" BIGINT NOT NULL DEFAULT 0,
    -- Raised with every change that other services store.
    "version" BIGINT NOT NULL DEFAULT 1,
    -- The person that its welcome credits were given for, or `operator`; NULL: it has none.
    "welcome_of" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[],
    "projects" TEXT[],
    "rpm" INTEGER,
    "created_by" TEXT NOT NULL DEFAULT '',
    "is_grant" BOOLEAN NOT NULL DEFAULT false,
    "revoked_by" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "workspaces_idempotency_key_key" ON "workspaces"("idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_id_idx" ON "api_keys"("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;



-- People. An address belongs to one verified person; unverified accounts are kept for a day.
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "email_verified_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "users_verified_email_key" ON "users"("email") WHERE "email_verified_at" IS NOT NULL;
CREATE INDEX "users_unverified_idx" ON "users"("created_at") WHERE "email_verified_at" IS NULL;

CREATE TABLE "memberships" (
    "workspace_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("workspace_id", "user_id")
);
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- `token_hash`: SHA-256 of 256 random bits. An ended session is kept until it would have expired: its client stays known.
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "workspace_id" TEXT,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "code_shown_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ip" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Authenticator apps (kind `totp`). `secret` is sealed under the id.
CREATE TABLE "factors" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "factors_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "factors_user_id_idx" ON "factors"("user_id");
ALTER TABLE "factors" ADD CONSTRAINT "factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- WebAuthn credentials: a second factor, and a sign-in of their own. `rp_id`: the host name they are bound to. `counter`: of signatures.
CREATE TABLE "passkeys" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "credential_id" BYTEA NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "rp_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "transports" TEXT[],
    "is_synced" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");
CREATE INDEX "passkeys_user_id_idx" ON "passkeys"("user_id");
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Accounts of people at a sign-in provider (OpenID Connect), bound to issuer and subject.
CREATE TABLE "external_identities" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_identities_pkey" PRIMARY KEY ("issuer", "subject")
);
CREATE UNIQUE INDEX "external_identities_user_id_issuer_key" ON "external_identities"("user_id", "issuer");
ALTER TABLE "external_identities" ADD CONSTRAINT "external_identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- `hash`: SHA-256 of a code of 120 random bits.
CREATE TABLE "recovery_codes" (
    "user_id" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("user_id", "hash")
);
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Tokens of links (verify, email, undo, reset, setup) and challenges of passkeys. `hash`: SHA-256 of 256 random bits.
CREATE TABLE "one_time_tokens" (
    "hash" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "user_id" TEXT,
    "workspace_id" TEXT,
    "email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "one_time_tokens_pkey" PRIMARY KEY ("hash")
);
CREATE INDEX "one_time_tokens_user_id_kind_idx" ON "one_time_tokens"("user_id", "kind");
CREATE INDEX "one_time_tokens_expires_at_idx" ON "one_time_tokens"("expires_at");
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "one_time_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "one_time_tokens_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "invites" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invites_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "invites_token_hash_key" ON "invites"("token_hash");
CREATE INDEX "invites_workspace_id_id_idx" ON "invites"("workspace_id", "id");
-- One open invitation of an address to a workspace.
CREATE UNIQUE INDEX "invites_open_key" ON "invites"("workspace_id", "email") WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;
ALTER TABLE "invites" ADD CONSTRAINT "invites_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Failures in fixed windows, by subject: an address, an account, or both. Here and not in Redis, because the limits must hold without Redis.
CREATE TABLE "login_failures" (
    "subject" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_failures_pkey" PRIMARY KEY ("subject")
);
CREATE INDEX "login_failures_ends_at_idx" ON "login_failures"("ends_at");

CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "trace" JSONB NOT NULL,
    "awaiting" TEXT[],
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

CREATE INDEX "workspaces_parent_id_idx" ON "workspaces"("parent_id");
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Calls of a parent's keys and people in its sub-accounts, by day.
CREATE TABLE "acting" (
    "child_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "calls" BIGINT NOT NULL DEFAULT 0,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "acting_pkey" PRIMARY KEY ("child_id", "actor_id", "day")
);
CREATE INDEX "acting_day_idx" ON "acting"("day");
ALTER TABLE "acting" ADD CONSTRAINT "acting_child_id_fkey" FOREIGN KEY ("child_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Idempotency keys of the creation of sub-accounts, with what the first response showed.
CREATE TABLE "child_requests" (
    "parent_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "child_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cap" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "child_requests_pkey" PRIMARY KEY ("parent_id", "key")
);
CREATE INDEX "child_requests_created_at_idx" ON "child_requests"("created_at");
ALTER TABLE "child_requests" ADD CONSTRAINT "child_requests_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Welcome credits that were given, one row per mailbox and per person, kept when the workspace is deleted. `mailbox`: SHA-256 of the address without its tag.
CREATE TABLE "welcome_grants" (
    "mailbox" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "welcome_grants_pkey" PRIMARY KEY ("mailbox")
);
CREATE UNIQUE INDEX "welcome_grants_user_id_key" ON "welcome_grants"("user_id");

-- The audit log of a workspace, deleted with it. `actor_id`: usr_… or key_…; empty: the operator or a schedule.
CREATE TABLE "audit" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL DEFAULT '',
    "detail" JSONB NOT NULL DEFAULT '{}',
    "ip" TEXT NOT NULL DEFAULT '',
    "user_agent" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_workspace_id_id_idx" ON "audit"("workspace_id", "id" DESC);
CREATE INDEX "audit_at_idx" ON "audit"("at");
ALTER TABLE "audit" ADD CONSTRAINT "audit_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
