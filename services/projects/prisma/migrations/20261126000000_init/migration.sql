CREATE SCHEMA IF NOT EXISTS "projects";

CREATE TABLE "projects" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "seed" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "schedule" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "retention_days" INTEGER NOT NULL,
    "config" JSONB NOT NULL,
    "secrets" BYTEA,
    "config_version" INTEGER NOT NULL DEFAULT 1,
    "next_due" TIMESTAMPTZ(3),
    "health" TEXT NOT NULL DEFAULT 'never',
    "health_since" TIMESTAMPTZ(3),
    "health_run_at" TIMESTAMPTZ(3),
    "health_run_id" TEXT NOT NULL DEFAULT '',
    "last_run" JSONB,
    "last_run_at" TIMESTAMPTZ(3),
    "kept_run_id" TEXT,
    "adoption_lease_until" TIMESTAMPTZ(3),
    "adoption_error" TEXT NOT NULL DEFAULT '',
    "next_expiry" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '1 day'::interval),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "due_runs" (
    "project_id" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'starting',
    "why" TEXT NOT NULL DEFAULT '',
    "missed" INTEGER NOT NULL DEFAULT 0,
    "owner" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "due_runs_pkey" PRIMARY KEY ("project_id", "due_at"),
    CONSTRAINT "due_runs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "config_versions" (
    "project_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "config" JSONB NOT NULL,
    "keys" TEXT[],
    "changed_by" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "restored_from" INTEGER,

    CONSTRAINT "config_versions_pkey" PRIMARY KEY ("project_id", "version"),
    CONSTRAINT "config_versions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "feed_links" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "name" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "feed_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "feed_links_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "feed_links_token_hash_key" ON "feed_links"("token_hash");
CREATE INDEX "feed_links_project_id_id_idx" ON "feed_links"("project_id", "id" DESC);

CREATE TABLE "idempotency_keys" (
    "workspace_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "first_response" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id", "route", "key")
);

CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "trace" JSONB NOT NULL,
    "awaiting" TEXT[],
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "projects_workspace_id_id_idx" ON "projects"("workspace_id", "id" DESC);
CREATE INDEX "projects_next_due_idx" ON "projects"("next_due");
CREATE INDEX "projects_next_expiry_idx" ON "projects"("next_expiry");
CREATE UNIQUE INDEX "projects_kept_run_id_key" ON "projects"("kept_run_id");
-- Pending adoptions.
CREATE INDEX "projects_adoption_lease_until_idx" ON "projects"("adoption_lease_until") WHERE "adoption_lease_until" IS NOT NULL;
-- Projects that name a saved login.
CREATE INDEX "projects_login_idx" ON "projects"("workspace_id", ("config" ->> 'login_id')) WHERE "config" ->> 'login_id' IS NOT NULL;
CREATE INDEX "due_runs_due_at_idx" ON "due_runs"("due_at");
-- Claimed due runs, to find those whose lease has expired.
CREATE INDEX "due_runs_starting_idx" ON "due_runs"("lease_until") WHERE "status" = 'starting';
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- States of workspaces that are, or were, suspended or deleted; their work is stopped, and the data of deleted ones removed, when `due`.
CREATE TABLE "workspace_states" (
    "workspace_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3),
    "sweeps" INTEGER NOT NULL DEFAULT 0,
    "due" TIMESTAMPTZ(3),

    CONSTRAINT "workspace_states_pkey" PRIMARY KEY ("workspace_id")
);
CREATE INDEX "workspace_states_due_idx" ON "workspace_states"("due") WHERE "due" IS NOT NULL;
