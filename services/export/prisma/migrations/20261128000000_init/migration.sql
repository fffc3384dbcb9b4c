CREATE SCHEMA IF NOT EXISTS "export";

CREATE TABLE "connections" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "secrets" BYTEA NOT NULL,
    "secrets_set" TEXT[],
    "test_ok" BOOLEAN,
    "test_reason" TEXT NOT NULL DEFAULT '',
    "test_steps" JSONB NOT NULL DEFAULT '[]',
    "test_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connections_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "connections_workspace_id_id_idx" ON "connections"("workspace_id", "id" DESC);

CREATE TABLE "destinations" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT,
    "connection_id" TEXT,
    "name" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "projects" TEXT[],
    "dataset" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "table_name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "compression" TEXT NOT NULL,
    "columns" TEXT[],
    "shape" JSONB,
    "automatic" BOOLEAN NOT NULL,
    "frozen" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL,
    "paused_reason" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "destinations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "destinations_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "connections"("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX "destinations_workspace_id_id_idx" ON "destinations"("workspace_id", "id" DESC);
CREATE INDEX "destinations_connection_id_idx" ON "destinations"("connection_id");

CREATE TABLE "syncs" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "destination_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "source_kind" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "is_full_run" BOOLEAN NOT NULL,
    "pages" INTEGER NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "read" INTEGER NOT NULL DEFAULT 0,
    "written" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "location" TEXT NOT NULL DEFAULT '',
    "warnings" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "error" JSONB,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "syncs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "syncs_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destinations"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "syncs_destination_id_id_idx" ON "syncs"("destination_id", "id" DESC);
CREATE INDEX "syncs_source_id_idx" ON "syncs"("source_id");
-- One sync of each run or job, unless a user starts it by hand.
CREATE UNIQUE INDEX "syncs_once" ON "syncs"("destination_id", "source_id", "dataset") WHERE "trigger" <> 'manual';
CREATE INDEX "syncs_open" ON "syncs"("workspace_id", "lease_until") WHERE "status" IN ('queued', 'running');

CREATE TABLE "sync_parts" (
    "sync_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "rows" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "sync_parts_pkey" PRIMARY KEY ("sync_id", "number"),
    CONSTRAINT "sync_parts_sync_id_fkey" FOREIGN KEY ("sync_id") REFERENCES "syncs"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "project_runs" (
    "project_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "project_runs_pkey" PRIMARY KEY ("project_id")
);
CREATE INDEX "project_runs_workspace_id_idx" ON "project_runs"("workspace_id");

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
