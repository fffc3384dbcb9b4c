-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "crawl";

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "no" BIGSERIAL NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "project_id" TEXT,
    "seed" TEXT NOT NULL,
    "home" TEXT,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "paused_at" TIMESTAMPTZ(3),
    "pauses" INTEGER NOT NULL DEFAULT 0,
    "pauses_returned" INTEGER NOT NULL DEFAULT 0,
    "scope" JSONB NOT NULL,
    "options" JSONB NOT NULL,
    "max_pages" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "destination_id" TEXT,
    "earlier_no" BIGINT,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "deaths" INTEGER NOT NULL DEFAULT 0,
    "progress_at_death" INTEGER NOT NULL DEFAULT 0,
    "seeded" BOOLEAN NOT NULL DEFAULT false,
    "sitemap" TEXT NOT NULL DEFAULT 'none',
    "known" INTEGER NOT NULL DEFAULT 0,
    "queued" INTEGER NOT NULL DEFAULT 0,
    "in_flight" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "fetched" INTEGER NOT NULL DEFAULT 0,
    "same" INTEGER NOT NULL DEFAULT 0,
    "answered" INTEGER NOT NULL DEFAULT 0,
    "silent" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "credits" INTEGER NOT NULL DEFAULT 0,
    "last_number" INTEGER NOT NULL DEFAULT 0,
    "verdicts" JSONB NOT NULL DEFAULT '{}',
    "traps" JSONB NOT NULL DEFAULT '[]',
    "stop" TEXT,
    "error" TEXT,
    -- It is done, read pages and is no recrawl: it may show the present state of its project and be a baseline.
    "has_coverage" BOOLEAN NOT NULL DEFAULT false,
    "deadline" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "cleaned_up" BOOLEAN NOT NULL DEFAULT false,
    "webhook_url" BYTEA,
    "webhook_events" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "webhook_metadata" TEXT,
    "webhook_secret" BYTEA,
    "given_up" TEXT[] NOT NULL DEFAULT '{}',
    -- none, waiting, read: whether the feeds it visits have been read.
    "feeds" TEXT NOT NULL DEFAULT 'none',
    -- Expired by the retention of its project.
    "expired" BOOLEAN NOT NULL DEFAULT false,
    -- It is being discarded and is not visible to callers. Other services keep the data that the run in needed_by needs.
    "discarding" BOOLEAN NOT NULL DEFAULT false,
    "needed_by" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);

-- CreateTable
CREATE TABLE "frontier" (
    "run_no" BIGINT NOT NULL,
    "url_key" BYTEA NOT NULL,
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "rank" SMALLINT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "depth" SMALLINT NOT NULL,
    "found_via" TEXT NOT NULL,
    "referer" BYTEA,
    "in_sitemap" BOOLEAN NOT NULL DEFAULT false,
    "in_feed" BOOLEAN NOT NULL DEFAULT false,
    "in_list" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "capture_id" TEXT,
    "work_id" TEXT,
    "dispatched_until" TIMESTAMPTZ(3),
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "number" INTEGER,
    "verdict" TEXT,
    "http_status" INTEGER,
    "error_code" TEXT,
    "credits" INTEGER,
    "links" BYTEA,
    "landed_key" BYTEA,
    "in_links" INTEGER,
    "block_keys" BYTEA,

    CONSTRAINT "frontier_pkey" PRIMARY KEY ("run_no","url_key")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "workspace_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id","route","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "runs_no_key" ON "runs"("no");

-- CreateIndex
CREATE INDEX "runs_workspace_id_id_idx" ON "runs"("workspace_id", "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- Unfinished runs, including those that need cleanup.
CREATE INDEX "runs_unfinished_idx" ON "runs"("created_at") WHERE NOT "cleaned_up";
-- A project has one run at a time, recrawls included.
CREATE UNIQUE INDEX "runs_project_idx" ON "runs"("project_id") WHERE "status" IN ('queued', 'running');
-- Queued pages in order; excludes fetched pages.
CREATE INDEX "frontier_queued_idx" ON "frontier"("run_no", "rank", "seq") WHERE "status" = 'queued';
-- Captures that have not ended as pages.
CREATE INDEX "frontier_capture_idx" ON "frontier"("run_no", "capture_id") WHERE "number" IS NULL AND "capture_id" IS NOT NULL;
-- Pages in the order in which they ended.
CREATE INDEX "frontier_number_idx" ON "frontier"("run_no", "number") WHERE "number" IS NOT NULL;
-- Hash prefixes don't compress: packing them costs more than it saves.
ALTER TABLE "frontier" ALTER COLUMN "links" SET STORAGE EXTERNAL;

-- The runs of a project, newest first.
CREATE INDEX runs_project_id_id_idx ON runs (project_id, id DESC) WHERE project_id IS NOT NULL;

-- Runs without a project, by expiry.
CREATE INDEX runs_ephemeral_idx ON runs (finished_at) WHERE project_id IS NULL AND cleaned_up;

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
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- Unlogged: workers report it again after a loss.
CREATE UNLOGGED TABLE held_hosts (
  run_no bigint NOT NULL,
  host text NOT NULL,
  until timestamptz(3) NOT NULL,
  why text NOT NULL,
  PRIMARY KEY (run_no, host)
);

-- Deleted projects: no run of them can start.
CREATE TABLE deleted_projects (
  id text PRIMARY KEY,
  workspace_id text NOT NULL,
  deleted_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Columns of a run that are rarely read, apart from its row, which is read with every page.
CREATE TABLE run_details (
  run_no bigint PRIMARY KEY,
  -- The configuration it was resolved from, its secrets masked, and sealed the settings that contain them.
  config_json text NOT NULL DEFAULT '',
  secrets bytea,
  -- Result of each feed: url, outcome, addresses, error.
  feeds jsonb NOT NULL DEFAULT '[]',
  -- How its addresses were found: found_via, addresses, pages. None until it has ended.
  found jsonb,
  -- The estimated number of pages: a CoverageEstimate as JSON. None until it has ended.
  coverage jsonb,
  -- Keys of the repeated blocks it started with.
  repeated_blocks bytea
);

-- The log of a run for its owner. At most two lines per kind and subject: the first and the last.
CREATE TABLE run_log (
  run_no bigint NOT NULL,
  what text NOT NULL,
  subject text NOT NULL,
  is_last boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Lines of its kind this one stands for.
  times integer NOT NULL DEFAULT 1,
  why text NOT NULL,
  seq bigserial NOT NULL,
  PRIMARY KEY (run_no, what, subject, is_last)
);

-- Runs to be discarded: those in progress, and expired ones.
CREATE INDEX runs_discarding_idx ON runs (no) WHERE discarding OR expired;

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
