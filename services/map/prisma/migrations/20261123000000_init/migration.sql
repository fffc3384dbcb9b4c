-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "map";

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
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
    "answered" TEXT,
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

-- CreateIndex
CREATE INDEX "jobs_workspace_id_site_id_idx" ON "jobs"("workspace_id", "site", "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_job_id_idx" ON "idempotency_keys"("job_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- The reconciler looks only at work that has not come to its end.
CREATE INDEX "jobs_unfinished_idx" ON "jobs"("lease_until") WHERE "status" IN ('queued', 'running');
