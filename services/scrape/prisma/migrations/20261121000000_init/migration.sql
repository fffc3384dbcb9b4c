-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "scrape";

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "capture_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "options" JSONB NOT NULL,
    "request_id" TEXT NOT NULL,
    "trace" JSONB NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "credits" INTEGER NOT NULL DEFAULT 0,
    "pages" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    -- The kind of a job: one page, a batch, or a playground capture.
    "kind" TEXT NOT NULL DEFAULT 'scrape',
    "total" INTEGER NOT NULL DEFAULT 1,
    -- Pages of a batch are numbered as they end, so that lists of a running batch neither skip nor repeat.
    "last_number" INTEGER NOT NULL DEFAULT 0,
    "concurrency" INTEGER NOT NULL DEFAULT 8,
    "delay_ms" INTEGER NOT NULL DEFAULT 0,
    "webhook_url" BYTEA,
    "webhook_secret" BYTEA,
    "webhook_events" TEXT[] NOT NULL DEFAULT '{}',
    "webhook_metadata" TEXT NOT NULL DEFAULT '',
    -- Inputs of a batch that another input's page answers.
    "duplicates" INTEGER NOT NULL DEFAULT 0,
    "destination_id" TEXT,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "workspace_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "first_status" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id","route","key")
);

-- CreateTable
CREATE TABLE "logins" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "front_page" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "saved_by" TEXT NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,
    "terms_accepted_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'unknown',
    "reason" TEXT NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "cookies" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "session" BYTEA NOT NULL,
    "session_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "logins_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "login_runs" (
    "run_id" TEXT NOT NULL,
    "login_id" TEXT NOT NULL,
    "session_version" INTEGER NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "login_runs_pkey" PRIMARY KEY ("run_id"),
    CONSTRAINT "login_runs_login_id_fkey" FOREIGN KEY ("login_id") REFERENCES "logins"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "logins_workspace_id_id_idx" ON "logins"("workspace_id", "id" DESC);
CREATE INDEX "login_runs_login_id_idx" ON "login_runs"("login_id");
CREATE INDEX "login_runs_noted_at_idx" ON "login_runs"("noted_at");

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
CREATE INDEX "jobs_workspace_id_id_idx" ON "jobs"("workspace_id", "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_job_id_idx" ON "idempotency_keys"("job_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- Unfinished jobs, for the reconciler.
CREATE INDEX "jobs_unfinished_idx" ON "jobs"("lease_until") WHERE "status" IN ('queued', 'running');

-- CreateTable
CREATE TABLE "batch_pages" (
    "capture_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,
    "number" INTEGER,
    "verdict" TEXT,
    "credits" INTEGER NOT NULL DEFAULT 0,
    -- Positions in the caller's list that the page answers, and the first of them, each from 0.
    "inputs" INTEGER[] NOT NULL DEFAULT '{}',
    "place" INTEGER NOT NULL,

    CONSTRAINT "batch_pages_pkey" PRIMARY KEY ("capture_id")
);

-- CreateTable
CREATE TABLE "host_fingerprints" (
    "similarity_key" TEXT NOT NULL,
    "rung" TEXT NOT NULL,
    "streak" DOUBLE PRECISION NOT NULL,
    "skipped" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_fingerprints_pkey" PRIMARY KEY ("similarity_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "batch_pages_job_id_number_key" ON "batch_pages"("job_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "batch_pages_job_id_place_key" ON "batch_pages"("job_id", "place");

-- Unfinished pages, by host; reclaimed when their lease expires.
CREATE INDEX "batch_pages_unfinished_idx" ON "batch_pages"("job_id", "host", "capture_id") WHERE "status" IN ('queued', 'running');

-- An event is stored for seconds and read once: compression or out-of-line storage costs more than it saves.
ALTER TABLE "outbox" ALTER COLUMN "payload" SET STORAGE EXTERNAL;
ALTER TABLE "outbox" SET (toast_tuple_target = 8160);

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

-- Values that language models extracted, by the hash of model, schema, prompt and content.
CREATE TABLE "extractions" (
    "workspace_id" TEXT NOT NULL,
    "input_hash" BYTEA NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "extractions_pkey" PRIMARY KEY ("workspace_id","input_hash")
);
CREATE INDEX "extractions_created_at_idx" ON "extractions"("created_at");

-- Tokens that the extractions of a job used or have reserved.
CREATE TABLE "extraction_budgets" (
    "workspace_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "tokens" BIGINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "extraction_budgets_pkey" PRIMARY KEY ("workspace_id","job_id")
);
CREATE INDEX "extraction_budgets_updated_at_idx" ON "extraction_budgets"("updated_at");
