-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "map";

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "charge_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "options" JSONB NOT NULL,
    "request_id" TEXT NOT NULL,
    "trace" JSONB NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "credits" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "stop" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "method" TEXT NOT NULL DEFAULT '',
    "totals" JSONB,
    "robots" JSONB,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "row_blobs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "project_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "files" (
    "job_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "file" JSONB NOT NULL,

    CONSTRAINT "files_pkey" PRIMARY KEY ("job_id","number")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "workspace_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "first_status" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id","key")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "trace" JSONB NOT NULL,
    "awaiting" TEXT[],
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "snapshots" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL DEFAULT '',
    "site" TEXT NOT NULL,
    "subdomains" BOOLEAN NOT NULL,
    "complete" BOOLEAN NOT NULL,
    "totals" JSONB NOT NULL,
    "robots" JSONB,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,
    "check_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "diffs" (
    "snapshot_id" TEXT NOT NULL,
    "before_id" TEXT NOT NULL,
    "is_verdict" BOOLEAN NOT NULL,
    "withheld" TEXT,
    "added" INTEGER NOT NULL,
    "removed" INTEGER NOT NULL,
    "updated" INTEGER NOT NULL,
    "files_added" TEXT[],
    "files_removed" TEXT[],
    "files_changed" TEXT[],
    "documents" TEXT[],

    CONSTRAINT "diffs_pkey" PRIMARY KEY ("snapshot_id")
);

-- CreateTable
CREATE TABLE "blob_candidates" (
    "sha256" TEXT NOT NULL,
    "in_trash" BOOLEAN NOT NULL DEFAULT false,
    "due" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "blob_candidates_pkey" PRIMARY KEY ("sha256")
);

-- CreateIndex
CREATE INDEX "jobs_workspace_id_site_id_idx" ON "jobs"("workspace_id", "site", "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_job_id_idx" ON "idempotency_keys"("job_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- CreateIndex
CREATE INDEX "snapshots_workspace_id_project_id_site_id_idx" ON "snapshots"("workspace_id", "project_id", "site", "id" DESC);

-- CreateIndex
CREATE INDEX "snapshots_check_at_idx" ON "snapshots"("check_at");

-- CreateIndex
CREATE INDEX "blob_candidates_due_idx" ON "blob_candidates"("due");

-- Claims of expired leases read only unfinished jobs.
CREATE INDEX "jobs_unfinished_idx" ON "jobs"("lease_until") WHERE "status" IN ('queued', 'running');

-- One running map per project. Maps of crawls are exempt.
CREATE UNIQUE INDEX "jobs_project_idx" ON "jobs"("workspace_id", "project_id")
  WHERE "status" = 'running' AND "project_id" <> '' AND ("options" ->> 'forCrawl') IS DISTINCT FROM 'true';

-- Retention: expired maps, and references to a document.
CREATE INDEX "jobs_finished_idx" ON "jobs"("finished_at") WHERE "finished_at" IS NOT NULL;
CREATE INDEX "files_entries_idx" ON "files"((file ->> 'entries'));
CREATE INDEX "jobs_row_blobs_idx" ON "jobs" USING gin ("row_blobs");
CREATE INDEX "diffs_documents_idx" ON "diffs" USING gin ("documents");

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
